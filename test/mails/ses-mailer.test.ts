import { describe, expect, it } from 'vitest'
import { read } from '../../activities/aws/mailer.ts'
import { createSigner } from '../../activities/aws/signature.ts'

const body = (message: string) => JSON.stringify({ message })
const mail = { from: 'News <news@Unverified.example>', to: 'ada@example.com' }

describe("the provider's answer", () => {
  it.each([
    [200, undefined, '{"MessageId":"0102-a"}', { kind: 'sent', messageId: '0102-a' }],
    // Accepted or not? It said 200 and no id: nobody knows.
    [200, undefined, '{}', { kind: 'unknown' }],
    [200, undefined, 'not json', { kind: 'unknown' }],
    [
      429,
      'TooManyRequestsException',
      body('Maximum sending rate exceeded.'),
      { kind: 'throttled', scope: 'rate' },
    ],
    [
      429,
      'TooManyRequestsException',
      body('Daily message quota exceeded.'),
      { kind: 'throttled', scope: 'quota' },
    ],
    // SES answers this one with 400.
    [400, 'ThrottlingException', body('Rate exceeded'), { kind: 'throttled', scope: 'rate' }],
    [
      400,
      'MessageRejected',
      body('Email address is not verified.'),
      { kind: 'refused', reason: 'message_rejected' },
    ],
    [400, 'BadRequestException', body('no'), { kind: 'refused', reason: 'bad_request' }],
    [404, 'NotFoundException', body('no'), { kind: 'refused', reason: 'not_found' }],
    [
      400,
      'AccountSuspendedException',
      body('no'),
      { kind: 'unavailable', reason: 'account_suspended' },
    ],
    [400, 'SendingPausedException', body('no'), { kind: 'unavailable', reason: 'sending_paused' }],
    [403, 'AccessDeniedException', body('no'), { kind: 'unavailable', reason: 'access_denied' }],
    // Refused before the mail was looked at: surely not accepted.
    [403, 'ExpiredTokenException', body('no'), { kind: 'unreachable' }],
    [403, 'InvalidSignatureException', body('Signature expired'), { kind: 'unreachable' }],
    [503, 'ServiceUnavailable', body('no'), { kind: 'unreachable' }],
    [500, 'InternalServiceError', body('no'), { kind: 'unknown' }],
    [502, undefined, '<html>', { kind: 'unknown' }],
    // Not SES' own words: a proxy on the way, and nobody knows what it had passed on.
    [503, undefined, '<html>', { kind: 'unknown' }],
    [408, 'RequestTimeoutException', body('no'), { kind: 'unknown' }],
    [
      400,
      'com.amazonaws#MessageRejected:http://x',
      body('no'),
      { kind: 'refused', reason: 'message_rejected' },
    ],
    [418, 'SomethingNewException', body('no'), { kind: 'refused', reason: 'provider_refused' }],
  ])('%i %s is read as %j', (status, type, answer, outcome) => {
    expect(read(status, type, answer, mail)).toMatchObject(outcome)
  })
})

describe('a refusal is of the sender and not of the recipient', () => {
  const failed = (...addresses: string[]) =>
    `Email address is not verified. The following identities failed the check in region EU-WEST-1: ${addresses.join(', ')}`

  it.each([
    ['MessageRejected', failed('News <news@unverified.example>'), true],
    ['MessageRejected', failed('news@unverified.example'), true],
    ['MessageRejected', 'Email address is not verified.', true],
    // SES' own sandbox: recipients must be verified, too.
    ['MessageRejected', failed('ada@example.com'), false],
    ['MessageRejected', failed('News <news@unverified.example>', 'ada@example.com'), true],
    ['MessageRejected', 'Transaction failed: Expected disposition', false],
    ['MailFromDomainNotVerifiedException', 'The custom MAIL FROM domain is not verified.', true],
    ['BadRequestException', 'Invalid From address', true],
    [
      'ValidationException',
      "1 validation error detected: Value null at 'fromEmailAddress' failed to satisfy constraint",
      true,
    ],
    ['BadRequestException', "Missing final '@domain'", false],
    ['BadRequestException', 'Local address contains control or whitespace', false],
    ['NotFoundException', 'Configuration set <x> does not exist.', false],
    ['AccountSuspendedException', "The account's ability to send email is restricted.", false],
  ])('%s: %s', (name, message, isOfSender) => {
    const outcome = read(400, name, body(message), mail)
    expect('ofSender' in outcome).toBe(isOfSender)
  })

  it('also if the sender’s address is the end of a recipient’s', () => {
    const own = { from: 'news@example.com', to: 'my.news@example.com' }
    const outcome = (address: string) => read(400, 'MessageRejected', body(failed(address)), own)
    expect(outcome('my.news@example.com')).not.toHaveProperty('ofSender')
    expect(outcome('news@example.com')).toHaveProperty('ofSender')
  })
})

describe('a signature', () => {
  // AWS, "Signature Version 4 test suite": its credentials; the signing key it publishes for them.
  const credentials = {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  }
  const request = {
    method: 'POST',
    host: 'email.us-east-1.amazonaws.com',
    path: '/v2/email/outbound-emails',
    body: '{}',
  } as const

  it('carries the given time, not the present one', () => {
    const sign = createSigner(credentials, 'us-east-1')
    const headers = sign(request, new Date('2026-11-20T23:59:59.999Z'))
    expect(headers['x-amz-date']).toBe('20261120T235959Z')
    expect(headers['authorization']).toContain('AKIDEXAMPLE/20261120/us-east-1/ses/aws4_request')
    // The key of the next day is another one.
    const next = sign(request, new Date('2026-11-21T00:00:00.000Z'))
    expect(next['authorization']).toContain('/20261121/')
    expect(sign(request, new Date('2026-11-20T23:59:59.999Z'))).toEqual(headers)
  })

  it('signs the session token, and changes with every part of the request', () => {
    const sign = createSigner({ ...credentials, sessionToken: 'session' }, 'us-east-1')
    const at = new Date('2026-11-20T12:00:00.000Z')
    const headers = sign(request, at)
    expect(headers['x-amz-security-token']).toBe('session')
    expect(headers['authorization']).toContain('x-amz-security-token, Signature=')
    const others = [
      sign({ ...request, body: '{"a":1}' }, at),
      sign({ ...request, path: '/other' }, at),
      sign({ ...request, host: 'elsewhere.example' }, at),
      createSigner(credentials, 'us-east-1')(request, at),
      createSigner({ ...credentials, sessionToken: 'session' }, 'eu-west-1')(request, at),
    ]
    const signatures = [headers, ...others].map((each) => each['authorization'])
    expect(new Set(signatures).size).toBe(6)
  })
})
