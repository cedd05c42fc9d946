import { normalAddress } from '../../domain/text.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import { createPasswords } from '../../keys/passwords.ts'
import * as sessions from '../../store/access/sessions.ts'
import * as users from '../../store/access/users.ts'
import { type Executor, type Sql, transact } from '../../store/db/sql.ts'

// Only the operator's command line creates users and sets passwords without the old one. Both
// concern a person and no organization, so no audit has them. `user list` shows when it happened.

interface NewUser {
  email: string
  name: string
  password: string
}

export async function createUser(sql: Sql, { email, name, password }: NewUser) {
  const id = uuidv7()
  const address = normalAddress(email)
  const passwordHash = await createPasswords().hash(password)
  const isNew = await users.create(sql, { id, email: address, name, passwordHash })
  if (!isNew) throw new Error('A user with this address already exists')
  return { id, email: address, name }
}

export async function setPassword(sql: Sql, email: string, password: string): Promise<Uuid> {
  const id = await requireUser(sql, email)
  const passwordHash = await createPasswords().hash(password)
  await transact(sql, (tx) => users.setPassword(tx, id, passwordHash))
  return id
}

/** Returns whether this is the person's password. */
export async function hasPassword(
  sql: Executor,
  email: string,
  password: string,
): Promise<boolean> {
  // The hash is not to be read but for a login. Failed ones are not counted here.
  const login = {
    email: normalAddress(email),
    account: Buffer.alloc(0),
    since: new Date(0).toISOString(),
  }
  const { passwordHash } = await sessions.lookUp(sql, login)
  return createPasswords().verify(passwordHash, password)
}

export async function requireUser(sql: Executor, email: string): Promise<Uuid> {
  const id = await users.findByEmail(sql, normalAddress(email))
  if (id === undefined) throw new Error('There is no user with this address')
  return id
}
