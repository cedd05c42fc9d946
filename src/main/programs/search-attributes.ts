import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '@temporalio/client'

/** temporal.api.enums.v1.IndexedValueType */
const TYPES = {
  Text: 1,
  Keyword: 2,
  Int: 3,
  Double: 4,
  Bool: 5,
  Datetime: 6,
  KeywordList: 7,
} as const
type Type = keyof typeof TYPES

const KNOWN_MS = 15_000
const PASS_MS = 50

type Attributes = Readonly<Record<string, string>>

/**
 * Registers the attributes that the namespace lacks, and waits until it has them. The dev server's
 * own flag only works for a new namespace, not on an existing database file.
 */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  wantedAttributes: Attributes,
): Promise<void> {
  const knownAttributes = await list(connection, namespace)
  const missing: Record<string, string> = {}
  for (const [name, type] of Object.entries(wantedAttributes)) {
    if (knownAttributes[name] === undefined) missing[name] = type
    else if (knownAttributes[name] !== numberOf(name, type)) {
      throw new Error(`Search attribute ${name} is registered with another type than ${type}`)
    }
  }
  if (Object.keys(missing).length === 0) return
  await addSearchAttributes(connection, namespace, missing)
  await waitForSearchAttributes(connection, namespace, missing)
}

/** Returns the names of the attributes that the namespace lacks. */
export async function missingSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: Attributes,
): Promise<string[]> {
  const attributes = await list(connection, namespace)
  return Object.keys(wanted).filter((name) => attributes[name] === undefined)
}

/** Waits until these attributes may be used. The server looks for new ones every other second. */
export async function waitForSearchAttributes(
  connection: Connection,
  namespace: string,
  attributes: Attributes,
): Promise<void> {
  const query = Object.keys(attributes)
    .map((name) => `${name} is not null`)
    .join(' and ')
  const end = Date.now() + KNOWN_MS
  for (;;) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 })
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(PASS_MS)
    }
  }
}

/**
 * Registers attributes in a namespace that has none, as on the test server, which cannot list them.
 */
export async function addSearchAttributes(
  connection: Connection,
  namespace: string,
  attributes: Attributes,
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, type]) => [name, numberOf(name, type)]),
  )
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
}

async function list(connection: Connection, namespace: string): Promise<Record<string, number>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  return customAttributes ?? {}
}

function numberOf(name: string, type: string): number {
  if (isType(type)) return TYPES[type]
  throw new Error(`Search attribute ${name}: there is no type ${type}`)
}

const isType = (name: string): name is Type => Object.hasOwn(TYPES, name)
