// Reads an OpenAPI document from the standard input and writes its types to the standard output.
import { text } from 'node:stream/consumers'
import openapiTS, { astToString } from 'openapi-typescript'

const isExample = new Set(['example', 'examples'])

/**
 * A part of the document without its examples: they are for the page, and in types they would be a
 * third of the file. A field of an object may be called `examples`, too.
 */
function withoutExamples(part, areFieldNames = false) {
  if (Array.isArray(part)) return part.map((each) => withoutExamples(each))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => areFieldNames || !isExample.has(name))
      .map(([name, value]) => [
        name,
        withoutExamples(value, !areFieldNames && name === 'properties'),
      ]),
  )
}

const document = withoutExamples(JSON.parse(await text(process.stdin)))
process.stdout.write(astToString(await openapiTS(document)))
