import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { personNames } from '../../src/core/privacy/person-names.ts'
import { emptyNaming } from '../../src/store/privacy/import-reports.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { importFile, upload, work } from '../support/imports.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const find = async (email: string) => (await api.alice.get(`/v1/contacts/${email}`)).body
const errorsOf = async (id: string) =>
  (await api.alice.get(`/v1/contacts/imports/${id}/errors`)).text
const rowsOf = async (table: string, importId: string) =>
  Number(
    (
      await api.sql`
    select count(*) as rows from ${api.sql(table)} where import_id = ${importId}`
    )[0]!['rows'],
  )
async function topic(slug: string, columns: Record<string, unknown> = {}) {
  const id = uuidv7()
  const organizationId = api.alice.organizationId
  await api.sql`insert into topics ${api.sql({ organizationId, id, name: slug, slug, ...columns })}`
  return id
}

test('a CSV makes and changes contacts, by the names of its columns', async () => {
  await createContact(api.alice, { email: 'ada@example.com', company: 'Old', firstName: 'Ada' })
  const after = await importFile(
    api,
    api.alice,
    [
      '\ufeffE-mail,First Name,Plan,properties,notes.x',
      'ADA@example.com,,pro,"{""seats"":3}",',
      '"bob@example.com","Bob ""the"" Builder",free,,"two\nlines"',
    ].join('\r\n'),
  )
  expect(after).toMatchObject({ status: 'completed', rows: 2, created: 1, updated: 1, failed: 0 })
  expect(await find('ada@example.com')).toMatchObject({
    firstName: 'Ada',
    company: 'Old',
    properties: { Plan: 'pro', seats: 3 },
  })
  expect(await find('bob@example.com')).toMatchObject({
    firstName: 'Bob "the" Builder',
    properties: { Plan: 'free', 'notes.x': 'two\nlines' },
  })
  expect(await rowsOf('import_chunks', after.id)).toBe(0)
})

test('a mapping says what columns are, and leaves some out', async () => {
  const mapping = { Adresse: 'email', Geheim: null, Tarif: 'properties.plan' }
  const after = await importFile(
    api,
    api.alice,
    'Adresse;Geheim;Tarif\nmapped@example.com;hidden;gold\n',
    { mapping: JSON.stringify(mapping), delimiter: ';' },
  )
  expect(after).toMatchObject({ created: 1 })
  expect((await find('mapped@example.com')).properties).toEqual({ plan: 'gold' })
})

test('NDJSON has a contact a line; what an export adds is passed over', async () => {
  const lines = [
    { email: 'line@example.com', firstName: 'Line', phone: null, properties: { a: [1, null] } },
    { id: uuidv7(), email: 'second@example.com', emailsSent: 4, createdAt: '2026-01-01T00:00:00Z' },
  ]
  const file = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n`
  const after = await importFile(
    api,
    api.alice,
    file,
    {},
    { 'content-type': 'application/x-ndjson' },
  )
  expect(after).toMatchObject({ status: 'completed', rows: 2, created: 2, failed: 0 })
  expect(await find('line@example.com')).toMatchObject({
    firstName: 'Line',
    phone: null,
    properties: { a: [1, null] },
  })
})

test('a line of NDJSON with a key that is there twice fails alone, however deep the key is', async () => {
  const lines = [
    '{"email":"once@example.com","properties":{"plan":"free"}}',
    '{"email":"twice@example.com","email":"other@example.com"}',
    '{"email":"deep@example.com","properties":{"plan":"free","pl\\u0061n":"pro"}}',
    '{"email":"again@example.com","firstName":"email","lastName":"email"}',
  ]
  const type = { 'content-type': 'application/x-ndjson' }
  const after = await importFile(api, api.alice, lines.join('\n'), {}, type)
  expect(after).toMatchObject({ status: 'completed', created: 2, failed: 2 })
  const { text } = await api.alice.get(`/v1/contacts/imports/${after.id}/errors`)
  expect(text).toContain('The row repeats the key email')
  expect(text).toContain('The row repeats the key properties.plan')
})

test('bad rows are reported, guarded against formulas, and good ones are kept', async () => {
  const after = await importFile(
    api,
    api.alice,
    [
      'email,phone,firstName,emailStatus',
      'good@example.com,,Good,',
      'no address,,=1+1,',
      'late@example.com,12,,',
      'status@example.com,,,happy',
      'long@example.com,,X,,too,many',
      ',,Nobody,',
      `nul@example.com,,a\0b,`,
    ].join('\n'),
  )
  expect(after).toMatchObject({ status: 'completed', rows: 7, created: 2, failed: 5 })
  expect(after).toMatchObject({ phonesLeftOut: 1 })
  const report = await errorsOf(after.id)
  const [head, ...lines] = report.trim().split('\r\n')
  expect(head).toBe('row,error,record')
  expect(lines.map((line) => Number.parseInt(line.slice(1), 10))).toEqual([2, 3, 4, 5, 6, 7])
  expect(lines[0]).toContain('email')
  expect(lines[0]).toContain('=1+1')
  expect(lines[1]).toContain('kept without its phone')
  expect(lines[2]).toContain('emailStatus must be one of')
  expect(lines[4]).toContain('email or phone is required')
  expect((await find('good@example.com')).firstName).toBe('Good')
  expect(await find('late@example.com')).toMatchObject({ phone: null, smsStatus: null })
})

test('NDJSON lines that are no contact fail alone', async () => {
  const file = [
    '{"email":"fine@example.com"}',
    '{broken',
    '[]',
    '{"email":"x@example.com","nonsense":1}',
    '{"email":"half@example.com","firstName":"\\ud800"}',
    `{"email":"deep@example.com","properties":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`,
  ].join('\n')
  const after = await importFile(api, api.alice, file, { format: 'ndjson' })
  expect(after).toMatchObject({ rows: 6, created: 1, failed: 5 })
  expect(await errorsOf(after.id)).toContain('nonsense is unknown')
})

test('a row that calls a field as we call our findings fails alone, and the import ends', async () => {
  const file = '{"email":"before@example.com"}\n{"broken":"a\\u0000b"}\n{"broken":"mine"}\n'
  const type = { 'content-type': 'application/x-ndjson' }
  const after = await importFile(api, api.alice, file, {}, type)
  expect(after).toMatchObject({ status: 'completed', rows: 3, created: 1, failed: 2 })
  expect(await errorsOf(after.id)).not.toContain(',"mine",')
})

test('existing contacts are skipped on request', async () => {
  await createContact(api.alice, { email: 'there@example.com', firstName: 'There' })
  const file =
    'email,firstName\nthere@example.com,Other\nnew@example.com,New\nnew@example.com,Again\n'
  const after = await importFile(api, api.alice, file, { onDuplicate: 'skip' })
  expect(after).toMatchObject({ created: 1, skipped: 2, updated: 0, failed: 0 })
  expect((await find('there@example.com')).firstName).toBe('There')
  expect((await find('new@example.com')).firstName).toBe('New')
})

test('a dry run reports and changes nothing', async () => {
  await createContact(api.alice, { email: 'dry@example.com', firstName: 'Dry' })
  const before = await find('dry@example.com')
  const file = 'email,firstName\ndry@example.com,Wet\nrain@example.com,Rain\nno,No\n'
  const after = await importFile(api, api.alice, file, { dryRun: 'true' })
  expect(after).toMatchObject({
    status: 'completed',
    dryRun: true,
    created: 1,
    updated: 1,
    failed: 1,
  })
  expect(await find('dry@example.com')).toEqual(before)
  expect((await api.alice.get('/v1/contacts/rain@example.com')).status).toBe(404)
  expect(await errorsOf(after.id)).toContain('no')
})

test('topics for all rows and of each row; unknown ones refuse the file, or the row', async () => {
  const [news, offers] = [await topic('news'), await topic('offers')]
  const file =
    'email,topicSlugs\nboth@example.com,offers\none@example.com,\nbad@example.com,nothing\n'
  const after = await importFile(api, api.alice, file, { topicIds: news })
  expect(after).toMatchObject({ created: 2, failed: 1 })
  const rows = await api.sql`
    select c.email, s.topic_id, s.status
    from subscriptions s
    join contacts c on c.id = s.contact_id
    where c.email in ('both@example.com', 'one@example.com', 'bad@example.com')
    order by c.email, s.topic_id`
  expect(rows).toEqual([
    { email: 'both@example.com', topicId: news, status: 'subscribed' },
    { email: 'both@example.com', topicId: offers, status: 'subscribed' },
    { email: 'one@example.com', topicId: news, status: 'subscribed' },
  ])
  const refused = await upload(api.alice, file, { topicSlugs: 'news,none,never' })
  expect(refused.status).toBe(400)
  expect(refused.body.error).toContain('none')
  expect(refused.body.error).toContain('never')
})

test('nobody who unsubscribed is resubscribed, unless the caller vouches for all', async () => {
  const email = 'left@example.com'
  await createContact(api.alice, { email })
  await importFile(api, api.alice, `email,emailStatus\n${email},unsubscribed\n`)
  const file = `email,emailStatus\n${email},active\n`
  expect(await importFile(api, api.alice, file)).toMatchObject({ emailStatusKept: 1, updated: 1 })
  expect((await find(email)).emailStatus).toBe('unsubscribed')
  const vouched = await importFile(api, api.alice, file, { resubscribe: 'true' })
  expect(vouched).toMatchObject({ emailStatusKept: 0 })
  expect((await find(email)).emailStatus).toBe('active')
})

test('gzip is inflated, and what only says so is refused', async () => {
  const gzip = { 'content-encoding': 'gzip' }
  const file = 'email\nzipped@example.com\n'
  expect(await importFile(api, api.alice, gzipSync(file), {}, gzip)).toMatchObject({ created: 1 })
  for (const broken of [Buffer.from(file), gzipSync(file).subarray(0, 20)]) {
    const answer = await upload(api.alice, broken, {}, gzip)
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } })
  }
  const other = await upload(api.alice, file, {}, { 'content-encoding': 'br' })
  expect(other.status).toBe(415)
})

const form = (...parts: string[]) =>
  `${parts.map((part) => `--cut\r\n${part}\r\n`).join('')}--cut--\r\n`
const field = (name: string, value: string) =>
  `content-disposition: form-data; name="${name}"\r\n\r\n${value}`
const filePart = (name: string, text: string) =>
  `content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n${text}`
const asForm = { 'content-type': 'multipart/form-data; boundary=cut' }

test('a form has its options before its file', async () => {
  const file = form(
    field('onDuplicate', 'skip'),
    filePart('people.csv', 'email\nform@example.com\n'),
  )
  const after = await importFile(api, api.alice, file, {}, asForm)
  expect(after).toMatchObject({ created: 1, onDuplicate: 'skip', format: 'csv' })
})

test('a form that is none, has no file, or ends before its time is refused', async () => {
  const broken: [string, RegExp][] = [
    [form(field('onDuplicate', 'skip')), /no file/],
    [form(filePart('a.csv', 'email\na@example.com\n'), field('dryRun', 'true')), /after its file/],
    [
      form(filePart('a.csv', 'email\na@example.com\n'), filePart('b.csv', 'email\n')),
      /more than one file/,
    ],
    [form(filePart('a.csv', 'email\na@example.com\n')).slice(0, -12), /form/],
    [form(field('nonsense', '1'), filePart('a.csv', 'email\n')), /nonsense/],
    [form(filePart('a.xlsx', 'email\na@example.com\n')), /format/],
  ]
  for (const [payload, words] of broken) {
    const answer = await upload(api.alice, payload, {}, asForm)
    expect(answer.body.error).toMatch(words)
    expect([400, 422]).toContain(answer.status)
  }
  expect((await api.alice.get('/v1/contacts/a@example.com')).status).toBe(404)
})

test('a file that is none is refused, aborted, and leaves nothing behind', async () => {
  const broken: [string | Buffer, RegExp][] = [
    ['', /empty/],
    ['\n', /first line/],
    ['firstName\nAda\n', /no column for email/],
    ['email,Email\na@example.com,b@example.com\n', /two columns/],
    ['email,"firstName\na@example.com,Ada\n', /first line/],
    ['email,a\0,a\0\nnul@example.com,1,2\n', /two columns/],
    [Buffer.from([0x65, 0x6d, 0x61, 0x69, 0x6c, 0x0a, 0xff, 0xfe, 0x0a]), /UTF-8/],
  ]
  for (const [payload, words] of broken) {
    const answer = await upload(api.alice, payload)
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } })
    expect(answer.body.error).toMatch(words)
  }
  const { data } = (await api.alice.get('/v1/contacts/imports?limit=100')).body
  expect(data.map(({ status }: { status: string }) => status)).not.toContain('receiving')
  expect(data[0]).toMatchObject({ status: 'aborted', error: expect.stringMatching(/UTF-8/) })
  expect(await rowsOf('import_chunks', data[0].id)).toBe(0)
  for (const mapping of ['nonsense', '[]', '{"a":"b"}', '{"missing":"email"}']) {
    const answer = await upload(api.alice, 'email\na@example.com\n', { mapping })
    expect(answer.status).toBe(400)
  }
  const wrongType = await upload(api.alice, '{}', {}, { 'content-type': 'application/json' })
  expect(wrongType).toMatchObject({ status: 415, body: { reason: 'unsupported_media_type' } })
  expect(wrongType.body.error).toContain('text/csv')
})

test('an import can be cancelled until it has ended, and stops at its next page', async () => {
  const { body } = await upload(api.alice, 'email\nnever@example.com\n')
  const cancelled = await api.alice.delete(`/v1/contacts/imports/${body.id}`)
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  expect((await api.alice.delete(`/v1/contacts/imports/${body.id}`)).status).toBe(200)
  expect(await work(api, api.alice, body.id)).toMatchObject({ status: 'cancelled', created: 0 })
  expect((await api.alice.get('/v1/contacts/never@example.com')).status).toBe(404)

  const done = await importFile(api, api.alice, 'email\nonce@example.com\n')
  const late = await api.alice.delete(`/v1/contacts/imports/${done.id}`)
  expect(late).toMatchObject({ status: 409, body: { reason: 'import_ended' } })
})

test('imports of others are not seen, read, cancelled or told from those that never were', async () => {
  const { body } = await upload(api.alice, 'email\nmine@example.com\n')
  const url = `/v1/contacts/imports/${body.id}`
  expect((await api.charlie.get(url)).status).toBe(403)
  expect((await api.charlie.get(`${url}/errors`)).status).toBe(403)
  expect((await api.charlie.delete(url)).status).toBe(403)
  expect((await api.charlie.get(`/v1/contacts/imports/${uuidv7()}`)).status).toBe(404)
  expect((await api.charlie.get('/v1/contacts/imports')).body.data).toEqual([])
  expect(await work(api, api.alice, body.id)).toMatchObject({ status: 'completed' })
})

test('one organization has five imports under way at most; others are not held up', async () => {
  const organizationId = api.charlie.organizationId
  const charlie = await api.client(organizationId, ['contacts'])
  const ids = []
  for (let n = 0; n < 5; n++)
    ids.push((await upload(charlie, `email\nn${n}@example.com\n`)).body.id)
  const sixth = await upload(charlie, 'email\nn6@example.com\n')
  expect(sixth).toMatchObject({ status: 409, body: { reason: 'too_many_imports' } })
  for (const id of ids) await charlie.delete(`/v1/contacts/imports/${id}`)
  expect((await upload(charlie, 'email\nn6@example.com\n')).status).toBe(202)
})

test('the same key and file is one import; another file under the key is refused', async () => {
  const headers = { 'idempotency-key': uuidv7() }
  const file = `email\n${'x'.repeat(50)}@example.com\n`.padEnd(1_500_000, 'k@example.com\n')
  const first = await upload(api.alice, file, {}, headers)
  const again = await upload(api.alice, file, {}, headers)
  expect(again.body).toEqual(first.body)
  expect(again.headers['idempotency-replayed']).toBe('true')
  const other = await upload(api.alice, `email\nother@example.com\n`, {}, headers)
  expect(other.status).toBe(422)
  await api.alice.delete(`/v1/contacts/imports/${first.body.id}`)
})

test('the import is in the audit trail', async () => {
  const { id } = await importFile(api, api.alice, 'email\nnoted@example.com\n')
  const { data } = (await api.alice.get('/v1/audit-events?action=import.created&limit=1')).body
  expect(data[0]).toMatchObject({ subjectId: id, detail: { format: 'csv', dryRun: false } })
})

test('resubscriptions by an import are recorded, with the author of the import', async () => {
  const file = 'email,emailStatus\nnoted-back@example.com,active\nstays@example.com,active\n'
  await createContact(api.alice, { email: 'noted-back@example.com', emailStatus: 'unsubscribed' })
  await createContact(api.alice, { email: 'stays@example.com' })
  const back = async () =>
    (await api.alice.get('/v1/audit-events?action=contact.resubscribed&limit=100')).body.data
  const before = await back()
  await importFile(api, api.alice, file, { resubscribe: 'true', dryRun: 'true' })
  expect(await back()).toEqual(before)
  const { id } = await importFile(api, api.alice, file, { resubscribe: 'true' })
  const [created] = (await api.alice.get('/v1/audit-events?action=import.created&limit=1')).body
    .data
  const [event, ...older] = await back()
  expect(older).toEqual(before)
  expect(event).toMatchObject({
    actorKind: created.actorKind,
    actorId: created.actorId,
    requestId: created.requestId,
    subjectKind: 'contact',
    subjectId: (await find('noted-back@example.com')).id,
    detail: { from: 'unsubscribed', importId: id },
  })
})

test('an erasure empties the rows of reports that hold the person, and no others', async () => {
  const file = 'email,phone,firstName\nErased@example.com,1,Eva\nkept@example.com,1,Kim\n'
  const ours = await importFile(api, api.alice, file)
  const theirs = await importFile(api, api.charlie, file)
  const { organizationId } = api.alice
  const { id } = await find('erased@example.com')
  const known = { contactIds: [id], email: 'erased@example.com', phone: null, addresses: [] }
  const person = { ...personNames(organizationId, known), until: new Date().toISOString() }
  await emptyNaming(api.sql, organizationId, { person, externalId: null })
  const report = await errorsOf(ours.id)
  expect(report).not.toContain('Erased@example.com')
  expect(report).toContain('kept@example.com')
  expect(await rowsOf('import_errors', theirs.id)).toBe(2)
})

test('confirmations of a large file are asked for by one cohort a page', async () => {
  const id = await topic('double', { doubleOptIn: true, fromAddress: 'news@example.com' })
  const lines = Array.from({ length: 2_500 }, (_, n) => `cohort-${n}@example.com`)
  const after = await importFile(api, api.alice, `email\n${lines.join('\n')}\n`, { topicIds: id })
  expect(after).toMatchObject({ status: 'completed', created: 2_500 })
  const cohorts = await api.sql<{ cohort: string; people: number }[]>`
    select cohort, count(*) as people
    from subscriptions
    where topic_id = ${id} and status = 'pending'
    group by cohort`
  const messages = await api.sql<{ kind: string; payload: { cohort: string; page: number } }[]>`
    select kind, payload from outbox
    where payload ->> 'importId' = ${after.id} or payload ->> 'topicId' = ${id}
    order by position`
  expect(messages.map(({ kind, payload }) => [kind, payload.page])).toEqual([
    ['start_import', undefined],
    ['start_cohort', 0],
    ['start_cohort', 1],
    ['start_cohort', 2],
  ])
  const peopleOf = new Map(cohorts.map(({ cohort, people }) => [cohort, people]))
  expect(messages.slice(1).map(({ payload }) => peopleOf.get(payload.cohort))).toEqual([
    1_000, 1_000, 500,
  ])
})
