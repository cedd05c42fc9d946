import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  checkedConfirmation,
  confirmationData,
  plainConfirmation,
} from '../../src/mail/confirmation.ts'
import { compileContent } from '../../src/mail/content.ts'
import { attributesOf, tokensOf } from '../../src/mail/html-tokens.ts'
import { withoutTracking } from '../../src/mail/no-track.ts'
import { type MergeData, renderer } from '../../src/mail/render.ts'
import { preferencesUrl } from '../../src/keys/preferences-links.ts'
import { brandWith } from '../support/brands.ts'
import { addressHash, newKeyringText, parseKeyring, signLink } from '../../src/keys/tokens.ts'

const keyring = parseKeyring(newKeyringText())
const publicUrl = 'https://mail.example.com'
const link = {
  organizationId: uuidv7(),
  contactId: uuidv7(),
  addressHash: addressHash(uuidv7(), 'ann@example.com'),
  topicId: uuidv7(),
}
const urls = {
  unsubscribeUrl: `${publicUrl}/unsubscribe/${signLink(keyring, 'unsubscribe', link)}`,
  preferencesUrl: preferencesUrl(keyring, publicUrl, link, Date.now()),
}
const confirmUrl = `${publicUrl}/confirm/${signLink(keyring, 'confirm', { ...link, generation: 1 })}`
const ann: MergeData = {
  contact: { id: '1', email: 'ann@example.com', firstName: 'Ann' },
  organization: { name: 'Acme' },
  ...urls,
}
const brand = brandWith('Acme')

const render = (html: string, data = ann, marketing = true) =>
  renderer(compileContent({ html }), { marketing })(data).html

/** The links of an HTML part, and whether SES leaves each alone. */
const linksOf = (html: string): [string, boolean][] =>
  tokensOf(html.replaceAll(/<!--\[if[^\]]*\]>|<!\[endif\]-->/g, ''))
    .filter(({ kind, name }) => kind === 'start' && ['a', 'area'].includes(name))
    .map((token) => {
      const attributes = attributesOf(token)
      return [attributes.get('href') ?? '', attributes.has('ses:no-track')]
    })

describe('SES leaves links of ours as they are', () => {
  test.each([
    ['the footer', '<p>Hello</p>'],
    ['a link of the template', '<a href="{{ unsubscribeUrl }}">Leave</a>'],
    ['single quotes', "<a class='x > y' href='{{ unsubscribeUrl }}'>Leave</a>"],
    ['no quotes', '<a href={{ unsubscribeUrl }}>Leave</a>'],
    ['capital letters', '<A HREF="{{ unsubscribeUrl }}">Leave</A>'],
    ['more behind it', '<a href="{{ unsubscribeUrl }}?from=foot#x">Leave</a>'],
    ['a variable', '{% assign way = unsubscribeUrl %}<a href="{{ way }}">Leave</a>'],
    [
      'a captured text',
      '{% capture foot %}<a href="{{ unsubscribeUrl }}">x</a>{% endcapture %}{{ foot }}',
    ],
    ['a map', '<map name="m"><area href="{{ unsubscribeUrl }}" alt="Leave"></map>'],
    ['Outlook alone', '<!--[if mso]><a href="{{ unsubscribeUrl }}">Leave</a><![endif]-->'],
    [
      'preferences',
      '<a href="{{ unsubscribeUrl }}">x</a><a href="{{ preferencesUrl }}">Choose</a>',
    ],
    [
      'a redirect',
      '<a href="{{ unsubscribeUrl }}">x</a><a href="https://r.example/?to={{ preferencesUrl | url_encode }}">y</a>',
    ],
  ])('%s', (_, html) => {
    const own = linksOf(render(html))
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(([, isLeftAlone]) => !isLeftAlone)).toEqual([])
  })

  test('a transactional mail that has them, and a mail that is only looked at', () => {
    const html = '<a href="{{ unsubscribeUrl }}">Leave</a>'
    expect(linksOf(render(html, ann, false))).toEqual([[urls.unsubscribeUrl, true]])
    const preview = { ...ann, unsubscribeUrl: `${publicUrl}/unsubscribe/preview` }
    expect(linksOf(render(html, preview))).toEqual([[preview.unsubscribeUrl, true]])
  })

  test('a confirmation mail: ours, and one of a template', () => {
    const request = {
      brand,
      topic: { name: 'News' },
      contact: { id: '1' },
      confirmUrl,
      isReminder: false,
    }
    const ours = [confirmUrl, true]
    expect(linksOf(plainConfirmation(request).html)).toEqual([ours, ours])
    const template = compileContent({
      html: '<a href="{{ confirmUrl }}">Yes</a> {{ topic.name }}',
      variables: [{ name: 'confirmUrl' }, { name: 'topic' }],
    })
    const mail = renderer(template)(confirmationData(request))
    expect(linksOf(checkedConfirmation(mail, request)?.html ?? '')).toEqual([ours])
  })
})

describe('SES counts clicks on links of the author', () => {
  test.each([
    'https://shop.example/',
    'https://shop.example/unsubscribe',
    'https://mail.example.com/confirm/order-1',
    'mailto:shop@example.com',
  ])('%s', (url) => {
    expect(linksOf(render(`<a href="${url}">Go</a>`))[0]).toEqual([url, false])
  })

  test('also where a link of ours is shown, or stands in another attribute', () => {
    const html = `<a href="https://shop.example/" title="{{ unsubscribeUrl }}">{{ unsubscribeUrl }}</a>`
    expect(linksOf(render(html))[0]).toEqual(['https://shop.example/', false])
  })
})

test('marked links are not marked again, and everything else is unchanged', () => {
  const html = `<!doctype html><p title="a > b">1 < 2</p><a ses:no-track href="${confirmUrl}">x</a><br/>`
  expect(withoutTracking(html)).toBe(html)
  const plain = '<p>Nothing <a href="https://shop.example/">of ours</a></p>'
  expect(withoutTracking(plain)).toBe(plain)
  expect(withoutTracking(`<a\nhref="${confirmUrl}"\n>x</a>`)).toBe(
    `<a ses:no-track\nhref="${confirmUrl}"\n>x</a>`,
  )
  // A tag that is never closed is text.
  expect(withoutTracking(`<a href="${confirmUrl}`)).toBe(`<a href="${confirmUrl}`)
})
