import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deps } from '../deps.ts'
import { sendText } from '../http.ts'

export async function handleInbox(
  _deps: Deps,
  _page: { path: string; query: URLSearchParams; body: Buffer },
  { response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  sendText(response, { status: 404, type: 'text/plain', text: 'soon' })
}
