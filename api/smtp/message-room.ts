import type { SMTPServerDataStream } from 'smtp-server'

interface HeldMessage {
  /** Undefined: the message was discarded, since it is too large or there was no room. */
  bytes: Buffer | undefined
  release: () => void
}

/**
 * Reads messages to their end. A process holds at most `mostBytes` of them at once. `read` rejects
 * when the connection is interrupted.
 */
export function createMessageRoom(mostBytes: number) {
  let heldBytes = 0

  return {
    read: (stream: SMTPServerDataStream): Promise<HeldMessage> =>
      new Promise((resolve, reject) => {
        let chunks: Buffer[] | undefined = []
        let bytes = 0
        const release = (): void => {
          heldBytes -= bytes
          bytes = 0
          chunks = undefined
        }
        stream.on('data', (chunk: Buffer) => {
          if (!chunks) return
          if (stream.sizeExceeded || heldBytes + chunk.length > mostBytes) {
            release()
            return
          }
          heldBytes += chunk.length
          bytes += chunk.length
          chunks.push(chunk)
        })
        stream.once('end', () => resolve({ bytes: chunks && Buffer.concat(chunks), release }))
        stream.once('error', (error) => {
          release()
          reject(error)
        })
      }),
  }
}
