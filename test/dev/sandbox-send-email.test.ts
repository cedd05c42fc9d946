import { SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNT, failure, type Fixture, mail, REGION, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())

describe('SendEmail', () => {
  test('stores a simple mail as it was sent', async () => {
    const html = `<p>Grüße "an" \\ Ada</p>${'<p>More</p>'.repeat(400)}`
    const { MessageId } = await sandbox.send({
      ReplyToAddresses: ['reply@letterloom.example'],
      Content: {
        Simple: {
          Subject: { Data: 'Grüße' },
          Body: { Html: { Data: html }, Text: { Data: 'Grüße\nan Ada' } },
          Headers: [{ Name: 'List-Unsubscribe', Value: '<https://letterloom.example/u/1>' }],
        },
      },
      EmailTags: [{ Name: 'letterloom-batch', Value: 'batch-1' }],
      ConfigurationSetName: 'any',
    })
    expect(MessageId).toMatch(/^0102[0-9a-f]{12}-[0-9a-f-]{36}-000000$/)
    const stored = await sandbox.control.mail(MessageId ?? '')
    expect(stored).toMatchObject({
      account: ACCOUNT,
      region: REGION,
      messageId: MessageId,
      recipient: 'ada@example.com',
      subject: 'Grüße',
      batch: 'batch-1',
      html,
      text: 'Grüße\nan Ada',
      replyTo: ['reply@letterloom.example'],
      headers: [{ name: 'List-Unsubscribe', value: '<https://letterloom.example/u/1>' }],
      configurationSet: 'any',
    })
  })

  test('keeps every one of many similar mails apart', async () => {
    const html = (n: number) =>
      `<h1>Hello ${n}</h1>${'<p>The same for all</p>'.repeat(200)}<a href="https://x.example/${n}">x</a>`
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        sandbox.send({
          Destination: { ToAddresses: [`reader-${n}@example.com`] },
          Content: {
            Simple: { Subject: { Data: `Mail ${n}` }, Body: { Html: { Data: html(n) } } },
          },
        }),
      ),
    )
    expect(new Set(sent.map(({ MessageId }) => MessageId)).size).toBe(40)
    for (const [n, { MessageId }] of sent.entries()) {
      expect(await sandbox.control.mail(MessageId ?? '')).toMatchObject({
        subject: `Mail ${n}`,
        recipient: `reader-${n}@example.com`,
        html: html(n),
        text: null,
      })
    }
  })

  test('takes a raw message, reading what the request leaves out', async () => {
    const raw = [
      'From: News <news@letterloom.example>',
      'To: "Lovelace, Ada" <ada@example.com>, bob@example.com',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      'X-SES-MESSAGE-TAGS: color=red, size=2',
      'Content-Type: multipart/alternative; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain; charset=UTF-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Sch=C3=B6n',
      '--b',
      'Content-Type: text/html; charset=UTF-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<b>Schön</b>').toString('base64'),
      '--b--',
    ].join('\r\n')
    const { MessageId } = await sandbox.ses.send(
      new SendEmailCommand({ Content: { Raw: { Data: Buffer.from(raw) } } }),
    )
    expect(await sandbox.control.mail(MessageId ?? '')).toMatchObject({
      recipients: ['ada@example.com', 'bob@example.com'],
      subject: 'Grüße',
      html: '<b>Schön</b>',
      text: 'Schön\n',
      raw: Buffer.from(raw).toString('base64'),
      tags: [
        { name: 'color', value: 'red' },
        { name: 'size', value: '2' },
      ],
    })
  })

  test('fills an inline template with simple values and looks at none of them again', async () => {
    const { MessageId } = await sandbox.send({
      Content: {
        Template: {
          TemplateContent: { Subject: 'Hi {{name}}', Html: '<p>{{ name }} {{a.b}}</p>' },
          TemplateData: JSON.stringify({ name: '{{a.b}}', a: { b: '<i>' } }),
        },
      },
    })
    expect(await sandbox.control.mail(MessageId ?? '')).toMatchObject({
      subject: 'Hi {{a.b}}',
      html: '<p>{{a.b}} <i></p>',
    })
  })

  test('accepts a template whose data is incomplete, as SES does', async () => {
    const { MessageId } = await sandbox.send({
      Content: {
        Template: { TemplateContent: { Subject: '{{x}}', Text: 't' }, TemplateData: '{}' },
      },
    })
    expect(await sandbox.control.mail(MessageId ?? '')).toMatchObject({ outcome: 'unrendered' })
  })
})

const simple = (more: object): Partial<SendEmailCommandInput> => ({
  Content: {
    Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } }, ...more },
  },
})
const header = (Name: string, Value: string) => simple({ Headers: [{ Name, Value }] })
const tag = (Name: string, Value: string) => ({ EmailTags: [{ Name, Value }] })
const to = (...ToAddresses: string[]) => ({ Destination: { ToAddresses } })

describe('SendEmail refuses', () => {
  const refusals: [
    what: string,
    input: Partial<SendEmailCommandInput>,
    name: string,
    text: RegExp,
  ][] = [
    ['no sender', { FromEmailAddress: undefined }, 'BadRequestException', /fromEmailAddress/],
    ['no recipient', { Destination: {} }, 'BadRequestException', /destination/],
    ['no content', { Content: {} }, 'BadRequestException', /exactly one/],
    ['no body', simple({ Body: {} }), 'BadRequestException', /Html and Text/],
    [
      'a sender that is not verified',
      { FromEmailAddress: 'a@other.example' },
      'MessageRejected',
      /Email address is not verified.*EU-WEST-1: a@other\.example/,
    ],
    [
      'a sender whose domain is still pending',
      { FromEmailAddress: 'a@pending.example' },
      'MessageRejected',
      /not verified/,
    ],
    [
      'more than fifty recipients',
      to(...Array.from({ length: 51 }, (_, n) => `r${n}@example.com`)),
      'BadRequestException',
      /exceeds 50/,
    ],
    ['a non-ASCII local part', to('größe@example.com'), 'BadRequestException', /non-ASCII/],
    ['an address without a domain', to('ada'), 'BadRequestException', /@domain/],
    ['white space in an address', to('a da@example.com'), 'BadRequestException', /whitespace/],
    ['a tag with a space', tag('a b', 'c'), 'BadRequestException', /tag name/],
    ['a tag value that is empty', tag('a', ''), 'BadRequestException', /tag value/],
    ['a tag that is too long', tag('a', 'x'.repeat(257)), 'BadRequestException', /256/],
    ['a header name with a colon', header('A:B', 'c'), 'BadRequestException', /header name/],
    ['a long header name', header('A'.repeat(127), 'c'), 'BadRequestException', /header name/],
    ['a line break in a header', header('A', 'b\r\nBcc: x'), 'BadRequestException', /header/],
    ['a header in umlauts', header('A', 'ü'), 'BadRequestException', /header/],
    ['a header longer than 995', header('A', 'x'.repeat(996)), 'BadRequestException', /995/],
    ['a header that SES makes', header('Subject', 'x'), 'BadRequestException', /not allowed/],
    [
      'a template that is only named',
      { Content: { Template: { TemplateName: 'stored' } } },
      'NotFoundException',
      /stored/,
    ],
    [
      'template data that is no JSON',
      { Content: { Template: { TemplateContent: { Subject: 'x' }, TemplateData: '{' } } },
      'BadRequestException',
      /JSON/,
    ],
  ]

  test.each(refusals)('%s', async (_what, input, name, text) => {
    await sandbox.control.clear()
    const error = await failure(sandbox.send(input))
    expect(error.name).toBe(name)
    expect(error.message).toMatch(text)
    expect(await sandbox.control.counts()).toMatchObject({ accepted: 0 })
  })

  test('more than 40 MB', async () => {
    const error = await failure(
      sandbox.send({ Content: { Raw: { Data: Buffer.alloc(41 * 1024 * 1024, 'x') } } }),
    )
    expect(error).toMatchObject({ name: 'BadRequestException' })
    expect(error.message).toMatch(/Message length is more than/)
  })

  test('a configuration set that does not exist, once the account has one', async () => {
    await sandbox.control.putAccount(ACCOUNT, { configurationSets: ['main'] })
    const error = await failure(sandbox.send({ ConfigurationSetName: 'other' }))
    expect(error.name).toBe('NotFoundException')
    await sandbox.send({ ConfigurationSetName: 'main' })
    await sandbox.control.putAccount(ACCOUNT, { configurationSets: null })
  })

  test('unverified recipients while the account is in the SES sandbox', async () => {
    await sandbox.control.putAccount(ACCOUNT, { productionAccess: false })
    const error = await failure(sandbox.send(to('ada@example.com')))
    expect(error).toMatchObject({ name: 'MessageRejected' })
    expect(error.message).toMatch(/ada@example\.com/)
    await sandbox.send(to('success@simulator.amazonses.com', 'me@letterloom.example'))
    await sandbox.control.putAccount(ACCOUNT, { productionAccess: true })
  })

  test('an account that is suspended or paused', async () => {
    await sandbox.control.putAccount(ACCOUNT, { enforcementStatus: 'SHUTDOWN' })
    expect((await failure(sandbox.send())).name).toBe('AccountSuspendedException')
    await sandbox.control.putAccount(ACCOUNT, {
      enforcementStatus: 'HEALTHY',
      sendingEnabled: false,
    })
    expect((await failure(sandbox.send())).name).toBe('SendingPausedException')
    await sandbox.control.putAccount(ACCOUNT, { sendingEnabled: true })
    await sandbox.send()
  })

  test('a body that is no JSON, with the status and headers of SES', async () => {
    const error = await failure(
      sandbox.ses.send(
        new SendEmailCommand(mail({ EmailTags: [{ Name: 'a', Value: 1 as never }] })),
      ),
    )
    expect(error).toMatchObject({
      name: 'BadRequestException',
      $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
  })
})
