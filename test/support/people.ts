import { randomInt } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import type { App } from '../../api/app.ts'
import type { Role } from '../../src/domain/access/access.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { createPasswords } from '../../src/keys/passwords.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Answer, inject } from './api.ts'

export const PASSWORD = 'correct horse battery'
const passwordHash = createPasswords().hash(PASSWORD)

export interface Person {
  id: Uuid
  email: string
}

/** A person with the password above who is not a member yet. */
export async function addPerson(sql: Sql): Promise<Person> {
  const id = uuidv7()
  const email = `${id}@example.com`
  await sql`
    insert into users (id, email, name, password_hash)
    values (${id}, ${email}, 'Somebody', ${await passwordHash})`
  return { id, email }
}

export async function addMember(sql: Sql, organizationId: Uuid, role: Role): Promise<Person> {
  const person = await addPerson(sql)
  await join(sql, organizationId, person, role)
  return person
}

export const join = (sql: Sql, organizationId: Uuid, { id }: Person, role: Role) => sql`
  insert into memberships (organization_id, user_id, role)
  values (${organizationId}, ${id}, ${role})`

/** A member of this role who has logged in. */
export async function signIn(app: App, sql: Sql, organizationId: Uuid, role: Role) {
  return sessionOf(app, await addMember(sql, organizationId, role), organizationId)
}

export interface SignedIn extends Person {
  organizationId: Uuid
  token: string
  send: (
    method: NonNullable<InjectOptions['method']>,
    url: string,
    body?: object,
  ) => Promise<Answer>
}

export async function sessionOf(
  app: App,
  person: Person,
  organizationId?: Uuid,
): Promise<SignedIn> {
  const { status, body, text } = await logIn(app, { email: person.email, organizationId })
  if (status !== 200) throw new Error(text)
  return withToken(app, { ...person, organizationId: body.organizationId, token: body.token })
}

export function withToken(app: App, who: Omit<SignedIn, 'send'>): SignedIn {
  return {
    ...who,
    send: (method, url, body) =>
      inject(app, {
        method,
        url,
        remoteAddress: '127.0.0.1',
        headers: { authorization: `Bearer ${who.token}` },
        ...(body === undefined ? {} : { payload: body }),
      }),
  }
}

interface Try {
  email: string
  password?: string
  organizationId?: Uuid | undefined
  /** A different one each time by default. */
  address?: string
}

export const logIn = (
  app: App,
  { email, password = PASSWORD, organizationId, address = someAddress() }: Try,
): Promise<Answer> =>
  inject(app, {
    method: 'POST',
    url: '/auth/login',
    remoteAddress: address,
    payload: { email, password, ...(organizationId === undefined ? {} : { organizationId }) },
  })

export const someAddress = (): string =>
  [10, randomInt(256), randomInt(256), randomInt(256)].join('.')
