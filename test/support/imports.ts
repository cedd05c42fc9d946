import { createImportActivities } from '../../activities/contacts/imports.ts'
import type { Api, Client } from './api.ts'

/** Sends a file as an import. The options are query parameters. */
export const upload = (
  client: Client,
  payload: string | Buffer,
  options: Record<string, string> = {},
  headers: Record<string, string> = {},
) =>
  client.send({
    method: 'POST',
    url: `/v1/contacts/import?${new URLSearchParams(options).toString()}`,
    headers: { 'content-type': 'text/csv', ...headers },
    payload,
  })

/** Writes all pages of an import, as the workflow does. Returns the import. */
export async function work(api: Api, client: Client, importId: string) {
  const { organizationId } = client
  const { beginImport, importPages } = createImportActivities({
    sql: api.sql,
    keyring: api.deps.keyring,
  })
  await beginImport({ organizationId, importId })
  while (!(await importPages({ organizationId, importId })));
  return (await client.get(`/v1/contacts/imports/${importId}`)).body
}

/** Uploads and writes a file that is accepted. */
export async function importFile(
  api: Api,
  client: Client,
  payload: string | Buffer,
  options: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const { status, body, text } = await upload(client, payload, options, headers)
  if (status !== 202) throw new Error(`${status} ${text}`)
  return work(api, client, body.id)
}
