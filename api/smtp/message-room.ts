import type { SMTPServerDataStream } from 'smtp-server'

interface HeldMessage {
  /** Undefined: there was no room for it, or it is too large, and it was thrown away. */
  bytes: Buffer | undefined
  /** Gives its room back. */
  release: () => void
}

/**
 * Reads messages to their end, of which a process holds `mostBytes` at once. `read` rejects when
 * the connection breaks off.
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
