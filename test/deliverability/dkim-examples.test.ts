import { describe, expect, test } from 'vitest'
import { verifyDkim } from '../../src/mail/verify-dkim.ts'

/** The signed mails that RFC 6376 (appendix A) and RFC 8463 (appendix A) print, with their keys. */
const SENT = `From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game. Are you hungry yet?

Joe.
`

/** Of RFC 6376: simple canonicalization, so that each blank counts. */
const RFC_6376 = `DKIM-Signature: v=1; a=rsa-sha256; s=brisbane; d=example.com;
      c=simple/simple; q=dns/txt; i=joe@football.example.com;
      h=Received : From : To : Subject : Date : Message-ID;
      bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
      b=AuUoFEfDxTDkHlLXSZEpZj79LICEps6eda7W3deTVFOk4yAUoqOB
      4nujc7YopdG5dWLSdNg6xNAZpOPr+kHxt1IrE+NahM6L/LbvaHut
      KVdkLLkpVaVVQPzeRDI009SO2Il5Lu7rDNH6mZckBdrIx0orEtZV
      4bmp/YzhwvcubU4=;
Received: from client1.football.example.com  [192.0.2.1]
      by submitserver.example.com with SUBMISSION;
      Fri, 11 Jul 2003 21:01:54 -0700 (PDT)
${SENT}`

/** Of RFC 8463: the same mail signed by Ed25519 and by RSA, relaxed canonicalization. */
const RFC_8463 = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=test; t=1528637909; h=from : to : subject :
 date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
 DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
 dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
${SENT}`

const KEYS: Record<string, string> = {
  'brisbane._domainkey.example.com':
    'v=DKIM1; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB',
  'brisbane._domainkey.football.example.com':
    'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  'test._domainkey.football.example.com':
    'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB',
}

async function resultsOf(message: string): Promise<string[] | undefined> {
  const verified = await verifyDkim({
    message,
    findTxt: async (name) => {
      const key = KEYS[name]
      if (key === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
      return [key]
    },
    now: Date.UTC(2026, 10, 25),
  })
  return verified?.map(({ result }) => result)
}

describe.each([
  ['RFC 6376', RFC_6376, 1],
  ['RFC 8463', RFC_8463, 2],
])('the mail of %s', (_rfc, mail, signatures) => {
  const all = (result: string) => Array.from({ length: signatures }, () => result)

  test('passes as it is printed', async () => {
    expect(await resultsOf(mail)).toEqual(all('pass'))
  })

  test.each([
    ['a word of its body is another', 'lost the game', 'won the game'],
    ['a field that is signed is another', 'Is dinner ready?', 'Is lunch ready?'],
    ['its sender is another', 'joe@football.example.com>\nTo', 'eve@football.example.com>\nTo'],
  ])('fails when %s', async (_what, printed, changed) => {
    expect(mail).toContain(printed)
    expect(await resultsOf(mail.replace(printed, changed))).toEqual(all('fail'))
  })

  test('blanks inside a line count where canonicalization is simple, and only there', async () => {
    const changed = mail.replace('We lost the', 'We  lost  the')
    expect(await resultsOf(changed)).toEqual(all(signatures === 1 ? 'fail' : 'pass'))
  })
})
