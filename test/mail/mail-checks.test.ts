import { describe, expect, test } from 'vitest'
import { compileContent } from '../../src/mail/content.ts'
import { checkMail } from '../../src/mail/mail-checks.ts'
import { processorTime } from '../support/event-loop.ts'

const WORDS = 'Twelve words of text stand here so that images are not all. '.repeat(2)
const found = (html: string, more: Partial<Parameters<typeof checkMail>[0]> = {}) =>
  checkMail({ subject: 'News', html, text: WORDS, ...more })
const codes = (...given: Parameters<typeof found>) => found(...given).map(({ code }) => code)
const link = (href: string) => `<p><a class="x" href="${href}">Read <b>more</b></a></p>`
const image = (src: string) => `<img alt="A cat" src="${src}">`

describe('a mail is good when', () => {
  test.each([
    ['its links lead somewhere', link('https://example.com/a?b=1&amp;c=2#d')],
    ['they write or call', link('mailto:ann@example.com') + link('tel:+49151') + link('sms:1')],
    ['they open a program', link('spotify:album:1')],
    ['they lead to a place in it', `${link('#news')}<a name="news"></a><a id="more"></a>`],
    ['a link is in a comment', `<!--[if mso]>${link('')}<![endif]-->`],
    ['its images load', image('https://example.com/a.png') + image('cid:logo@example.com')],
    ['decoration is marked as such', '<img alt="" src="https://example.com/line.png">'],
    ['an address is of another network', link('http://8.8.8.8/') + link('https://[2001:db8::1]/')],
  ])('%s', (_, html) => {
    expect(found(html)).toEqual([])
  })
})

describe('the findings', () => {
  test.each([
    ['link_without_address', [link(''), link(' '), link('#'), '<a>x</a>', '<area>']],
    [
      'relative_link',
      [
        link('/news'),
        link('news.html'),
        link('//example.com/a'),
        link('www.example.com'),
        link('?a=1'),
      ],
    ],
    [
      'local_link',
      [
        link('http://localhost:3000/a'),
        link('HTTPS://LOCALHOST'),
        link('http://127.0.0.1/'),
        link('http://2130706433/'),
        link('http://10.1.2.3/'),
        link('http://172.20.0.1/'),
        link('http://192.168.178.1/'),
        link('http://[::1]:8080/'),
        link('http://[fe80::1]/'),
        link('http://intranet/a'),
        link('http://shop.localhost/'),
        link('http://printer.local./'),
      ],
    ],
    [
      'unusable_link',
      [
        link('javascript:alert(1)'),
        link('JavaScript&colon;alert(1)'),
        link('data:text/html,x'),
        link('file:///etc/passwd'),
        link('http://'),
        link('https://a b.example/'),
      ],
    ],
    ['image_without_alt', ['<img src="https://example.com/a.png">']],
    ['unusable_image', [image('/a.png'), image(''), image('http://localhost/a.png')]],
    ['embedded_images', [image(`data:image/png;base64,${'A'.repeat(4_000)}`)]],
    ['many_images', [image('https://example.com/a.png').repeat(31)]],
  ] as const)('%s', (code, mails) => {
    for (const html of mails) expect([html, codes(html)]).toEqual([html, [code]])
  })

  test('a blank subject, a text part without text, and what is clipped', () => {
    expect(codes('<p>x</p>', { subject: ' ' })).toEqual(['blank_subject'])
    expect(codes('<p>x</p>', { subject: null })).toEqual([])
    expect(codes('<p>x</p>', { text: ' \n' })).toEqual(['no_text_part'])
    expect(codes('x'.repeat(102 * 1_024))).toEqual([])
    expect(codes('ü'.repeat(52 * 1_024))).toEqual(['clipped'])
    // What is sent counts, with what was added to it.
    expect(codes('x', { bytes: 110_000 })).toEqual(['clipped'])
  })

  test('a mail of nothing but images', () => {
    const html = image('https://example.com/a.png')
    expect(codes(html, { text: 'Shop now https://example.com/a' })).toEqual(['mostly_images'])
    expect(codes('<p>Hi</p>', { text: 'Hi' })).toEqual([])
  })

  test('says how many there are, which, and what to do', () => {
    const messages = found(link('#') + link('#') + link('/a')).map(({ message }) => message)
    expect(messages).toEqual([
      '2 links ("Read more", "Read more") lead nowhere: give each an address',
      '1 link ("/a") has no host, which links in a mail need: begin each with https://',
    ])
    const many = found(Array.from({ length: 9 }, (_, n) => link(`/${n}`)).join(''))[0]
    expect(many?.message).toContain('9 links ("/0", "/1", "/2", …) have')
    const long = found(link(`/${'x'.repeat(500)}`))[0]
    expect(long?.message.length).toBeLessThan(200)
  })

  test('an unsubscribe link that we add is no warning, and links of ours are no business of it', () => {
    const [lacking] = found('<p>x</p>', { lacksUnsubscribe: true })
    expect(lacking).toMatchObject({ code: 'no_unsubscribe_link', severity: 'info' })
    const ours = 'http://localhost:3000/unsubscribe/a?b=1&c=2'
    expect(codes(link(ours.replace('&', '&amp;')), { ours: [ours] })).toEqual([])
  })
})

describe('of a template', () => {
  const ofTemplate = (html: string) =>
    compileContent({ html, variables: [{ name: 'url' }, { name: 'on' }] }).checks.map(
      ({ code }) => code,
    )

  test('what Liquid will say is not judged', () => {
    for (const html of [
      link('{{ unsubscribeUrl }}'),
      link('{{ url }}/news'),
      link('https://{{ url }}/news'),
      '<a {% if on %}href="https://example.com"{% endif %}>x</a>',
      '<a href="{% if on %}{{ url }}{% else %}https://example.com{% endif %}">x</a>',
    ]) {
      expect([html, ofTemplate(`<p>Hello</p>${html}`)]).toEqual([html, []])
    }
  })

  test('what it says already is', () => {
    expect(ofTemplate(link('http://localhost/{{ url }}'))).toEqual(['local_link'])
    expect(ofTemplate(link('/{{ url }}'))).toEqual(['relative_link'])
    expect(ofTemplate('{% if on %}{% endif %}')).toEqual(['no_text_part'])
  })
})

test('takes time in proportion to the length of a mail', () => {
  const once = (html: string) => {
    const before = processorTime()
    found(html)
    return processorTime() - before
  }
  const time = (html: string) => Math.min(...[1, 2, 3].map(() => once(html)))
  for (const part of [link('/a'), '<a href="', '<img ', image('/x'), '<a>'] as const) {
    time(part.repeat(1_000))
    const [short, long] = [time(part.repeat(5_000)), time(part.repeat(40_000))]
    expect([part, long < 16 * short + 250]).toEqual([part, true])
  }
})
