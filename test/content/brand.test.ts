import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailBrand } from '../../src/domain/content/brand.ts'
import { LANGUAGES, sayAs, TEXT_NAMES } from '../../src/domain/content/wording.ts'
import { plainConfirmation } from '../../src/mail/confirmation.ts'
import { compileContent } from '../../src/mail/content.ts'
import { renderer } from '../../src/mail/render.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'
import { brandWith } from '../support/brands.ts'
import { seedConfirmations } from '../support/confirmations.ts'

const HTML = { accept: 'text/html' }
const placeholders = (text: string) => [...new Set(text.match(/\{[a-z]+\}/g))].sort()

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const brand = (branding: object) =>
  api.alice.send({ method: 'PATCH', url: '/v1/organization', payload: { branding } })

test('each language says everything, and fills in what English fills in', () => {
  const english = sayAs({ language: 'en', texts: {} })
  for (const language of LANGUAGES) {
    const say = sayAs({ language, texts: {} })
    for (const name of TEXT_NAMES) {
      expect([name, placeholders(say(name))]).toEqual([name, placeholders(english(name))])
      expect(say(name).trim(), name).not.toBe('')
    }
  }
})

test('a value that looks like a placeholder stays text', () => {
  const say = sayAs({ language: 'en', texts: {} })
  const values = { topic: '{organization} $& {topic}', organization: 'O' }
  expect(say('confirm.thanks', values)).toBe(
    'Thank you. You will receive “{organization} $& {topic}” from O.',
  )
})

test('language, address and texts are changed one by one, and null is ours again', async () => {
  const texts = { 'unsubscribe.button': 'Stop', 'confirm.thanks': 'Ta: {topic}' }
  const first = await brand({ language: 'de', postalAddress: '1 Main Street\nSpringfield', texts })
  expect([first.status, first.body.branding]).toEqual([
    200,
    {
      accentColor: null,
      backgroundColor: null,
      language: 'de',
      postalAddress: '1 Main Street\nSpringfield',
      texts,
    },
  ])
  const second = await brand({ postalAddress: null, texts: { 'confirm.thanks': null } })
  expect(second.body.branding).toMatchObject({
    language: 'de',
    postalAddress: null,
    texts: { 'unsubscribe.button': 'Stop' },
  })
  expect(second.body.branding.texts).not.toHaveProperty(['confirm.thanks'])
  expect((await api.charlie.get('/v1/organization')).body.branding.language).toBe('en')
})

test('unknown placeholders, unknown names and control characters are refused by name', async () => {
  const unfilled = await brand({ texts: { 'confirm.thanks': 'From {organization} to {name}' } })
  expect([unfilled.status, unfilled.body.details]).toEqual([
    400,
    [
      {
        path: 'branding.texts.confirm.thanks',
        message: 'cannot contain the placeholder {name}',
      },
    ],
  ])
  for (const wrong of [
    { texts: { 'no.such': 'x' } },
    { texts: { 'confirm.title': 'a\nb' } },
    { texts: { 'confirm.title': 'x'.repeat(501) } },
    { postalAddress: 'a\r\nb' },
    { postalAddress: '' },
    { postalAddress: 'x'.repeat(301) },
    { language: 'xx' },
  ]) {
    expect([wrong, (await brand(wrong)).status]).toEqual([wrong, 422])
  }
})

test('pages speak the language of the organization, and its own texts are no HTML', async () => {
  await brand({ language: 'de', texts: { 'unsubscribe.button': '<b>Raus</b>' } })
  const { organizationId } = api.alice
  const { keyring } = api.deps
  const email = 'ada@example.com'
  const { id: contactId } = await createContact(api.alice, { email })
  const link = { organizationId, contactId, addressHash: addressHash(organizationId, email) }
  const expiresAt = Date.now() + 60_000
  const url = `/unsubscribe/${signUnsubscribe(keyring, link)}`
  const asked = await inject(api.app, { url, headers: HTML })
  expect(asked.text).toContain('<html lang="de">')
  expect(asked.text).toContain('Keine E-Mails mehr an a••@e••••••.com?')
  expect(asked.text).toContain('&lt;b&gt;Raus&lt;/b&gt;')
  expect(asked.text).not.toContain('<b>')
  const done = await inject(api.app, { method: 'POST', url, headers: HTML })
  expect(done.text).toContain('Sie sind abgemeldet')
  const preferences = `/preferences/${signLink(keyring, 'preferences', { ...link, expiresAt })}`
  const shown = await inject(api.app, { url: preferences, headers: HTML })
  expect(shown.text).toContain('Von allem abmelden')
  const saved = await inject(api.app, {
    method: 'POST',
    url: preferences,
    headers: { ...HTML, 'content-type': 'application/json' },
    payload: { topics: [] },
  })
  expect(saved.text).toContain('Es hat sich nichts geändert.')
})

test('the confirmation page is in the language of the organization, also when it is too late', async () => {
  const there = await seedConfirmations(api.sql, api.deps.keyring)
  const { organizationId } = there
  await api.sql`update organizations set language = 'fr' where id = ${organizationId}`
  const contact = await there.contact()
  const asked = await there.ask(contact.id, await there.topic({ name: 'Actualités' }))
  const link = { organizationId, ...asked, addressHash: addressHash(organizationId, contact.email) }
  const at = (expiresAt: number) =>
    `/confirm/${signLink(api.deps.keyring, 'confirm', { ...link, expiresAt })}`
  const page = await inject(api.app, { url: at(Date.now() + 60_000), headers: HTML })
  expect(page.text).toContain('Souhaitez-vous recevoir « Actualités »')
  const late = await inject(api.app, { url: at(Date.now() - 60_000), headers: HTML })
  expect([late.status, late.text.includes('Ce lien ne fonctionne plus')]).toEqual([410, true])
})

test('a confirmation mail is in the language and the colours of its organization', () => {
  const mail = plainConfirmation({
    brand: brandWith('Señal', {
      language: 'es',
      accentColor: '#ffee00',
      postalAddress: 'Calle 1\nMadrid <centro>',
    }),
    topic: { name: 'Novedades' },
    contact: { id: '1' },
    confirmUrl: 'https://mail.example.com/confirm/x',
    isReminder: true,
  })
  expect(mail.subject).toBe('Recordatorio: confirme, por favor: Novedades')
  expect(mail.html).toContain('<html lang="es">')
  expect(mail.html).toContain('background:#ffee00')
  expect(mail.html).toContain('color:#000000;text-decoration:none">Confirmar mi suscripción')
  expect(mail.html).not.toContain('#1d4ed8')
  expect(mail.html).toContain('Señal &middot; Calle 1 &middot; Madrid &lt;centro&gt;')
  expect(mail.text).toContain('27 días')
  expect(mail.text).toContain('Calle 1\nMadrid <centro>')
})

const marketing = (html: string, changes = {}) => {
  const content = compileContent({ subject: 'S', html })
  return renderer(content, { marketing: true })({
    organization: mailBrand(brandWith('Alice & Co', changes)),
    unsubscribeUrl: 'https://m.example.com/u/1',
    preferencesUrl: 'https://m.example.com/p/1',
  })
}
const ADDRESS = { language: 'de', postalAddress: '1 Main Street\nSpringfield' } as const

test('marketing mail gets the links and the postal address that its author left out', () => {
  const mail = marketing('<p>News</p>', ADDRESS)
  expect(mail.html).toContain('>Abmelden</a> &middot; ')
  expect(mail.html).toContain('<br>Alice &amp; Co &middot; 1 Main Street &middot; Springfield</p>')
  expect(mail.text).toBe(
    'News\n\nAbmelden: https://m.example.com/u/1\nEinstellungen: https://m.example.com/p/1\nAlice & Co\n1 Main Street\nSpringfield\n',
  )
})

test('links have the colour of the organization, as dark as a reader needs it', () => {
  const colored = (accentColor: string | null) => marketing('<p>News</p>', { accentColor }).html
  expect(colored('#7a3e2c')).toContain('style="color:#7a3e2c;text-decoration:underline">')
  // Yellow cannot be read on white.
  expect(colored('#ffee00')).toMatch(/style="color:#[67][0-9a-f]{5};text-decoration:underline">/)
  expect(colored(null)).toContain('style="color:#595959;text-decoration:underline">')
})

test('and only what is missing', () => {
  const own =
    '<p>{{ organization.name }}, {{ organization.postalAddress }} <a href="{{ unsubscribeUrl }}">x</a></p>'
  const whole = marketing(own, ADDRESS)
  expect(whole.html).toBe(
    '<p>Alice &amp; Co, 1 Main Street\nSpringfield <a ses:no-track href="https://m.example.com/u/1">x</a></p>',
  )
  const unlinked = marketing('<p>{{ organization.postalAddress }}</p>', ADDRESS)
  expect(unlinked.html).toContain('Abmelden')
  expect(unlinked.html.match(/Springfield/g)).toHaveLength(1)
})
