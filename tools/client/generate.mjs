// Reads an OpenAPI document from the standard input and writes its types to the standard output.
import { text } from 'node:stream/consumers'
import openapiTS, { astToString } from 'openapi-typescript'

// Examples are for the page: in types they are a third of the file.
const isExample = new Set(['example', 'examples'])
const document = JSON.parse(await text(process.stdin), (name, value) =>
  isExample.has(name) ? undefined : value,
)
process.stdout.write(astToString(await openapiTS(document)))
