import { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Faults } from '../../tools/sandbox/faults.ts'
import { ACCOUNT, failure, type Fixture, mail, startFixture, until } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())
beforeEach(() => sandbox.control.clear())
afterEach(async () => {
  await sandbox.control.resetFaults()
  await sandbox.control.setSettings({ signatureMaxAgeMs: 300_000 })
})

const accepted = async () => (await sandbox.control.counts()).accepted

describe('a fault that is switched on', () => {
  const cases: [faults: Partial<Faults>, name: string, acceptedThen: number][] = [
    [{ throttlePercent: 100 }, 'TooManyRequestsException', 0],
    [{ serverErrorPercent: 100 }, 'InternalServiceError', 0],
    [{ acceptThenResetPercent: 100 }, 'TimeoutError', 1],
    [{ acceptThenErrorPercent: 100 }, 'InternalServiceError', 1],
    [{ dailyQuotaExceeded: true }, 'TooManyRequestsException', 0],
    [{ suspended: true }, 'AccountSuspendedException', 0],
    [{ sendingPaused: true }, 'SendingPausedException', 0],
    [{ mailFromNotVerified: true }, 'MailFromDomainNotVerifiedException', 0],
  ]
  test.each(cases)('%o: %s, accepted %i', async (faults, name, count) => {
    await sandbox.control.setFaults(faults)
    expect((await failure(sandbox.send())).name).toBe(name)
    expect(await accepted()).toBe(count)
    await sandbox.control.resetFaults()
    await sandbox.send()
  })

  test('a socket that is reset after the mail was accepted says so to the client', async () => {
    await sandbox.control.setFaults({ acceptThenResetPercent: 100 })
    expect(await failure(sandbox.send())).toMatchObject({ code: 'ECONNRESET' })
    expect(await accepted()).toBe(1)
  })

  test('half open: no answer and no mail', async () => {
    await sandbox.control.setFaults({ halfOpenPercent: 100 })
    const client = sandbox.client({
      requestHandler: { requestTimeout: 300, throwOnRequestTimeout: true },
    })
    expect((await failure(client.send(new SendEmailCommand(mail())))).name).toBe('TimeoutError')
    expect(await accepted()).toBe(0)
  })

  test('latency is added to every send', async () => {
    await sandbox.control.setFaults({ latencyMs: 200 })
    const startedAt = performance.now()
    await sandbox.send()
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195)
  })

  test('a stall before accepting outlasts the signature', async () => {
    await sandbox.control.setSettings({ signatureMaxAgeMs: 1_000 })
    await sandbox.control.setFaults({ stallBeforePercent: 100, stallMs: 2_500 })
    const error = await failure(sandbox.send())
    expect(error.name).toBe('InvalidSignatureException')
    expect(await accepted()).toBe(0)
  })

  test('a stall after accepting leaves the mail accepted before the answer', async () => {
    await sandbox.control.setFaults({ stallAfterPercent: 100, stallMs: 3_000 })
    let answered = false
    const sending = sandbox.send().then(() => {
      answered = true
    })
    await until('the mail', async () => (await accepted()) === 1)
    expect(answered).toBe(false)
    await sending
  })
})

describe('switches', () => {
  test('can be turned for one account alone', async () => {
    await sandbox.control.setFaults({ suspended: true }, '999999999999')
    await sandbox.send()
    await sandbox.control.setFaults({ suspended: true }, ACCOUNT)
    expect((await failure(sandbox.send())).name).toBe('AccountSuspendedException')
    await sandbox.control.resetFaults(ACCOUNT)
    await sandbox.send()
    expect(await sandbox.control.faults('999999999999')).toMatchObject({ suspended: true })
  })

  test('are set one by one, and what they do not know is refused', async () => {
    await sandbox.control.setFaults({ throttlePercent: 10 })
    expect(await sandbox.control.setFaults({ latencyMs: 5 })).toMatchObject({
      throttlePercent: 10,
      latencyMs: 5,
    })
    await expect(sandbox.control.setFaults({ throttlePercent: 101 })).rejects.toThrow(/400/)
    await expect(sandbox.control.setFaults({ other: 1 } as never)).rejects.toThrow(/400/)
    await expect(sandbox.control.setSettings({ other: 1 } as never)).rejects.toThrow(/400/)
    await expect(sandbox.control.putAccount(ACCOUNT, { other: 1 } as never)).rejects.toThrow(/400/)
    expect(await sandbox.control.resetFaults()).toMatchObject({ throttlePercent: 0, latencyMs: 0 })
  })

  test('a percentage is a share', async () => {
    await sandbox.control.setFaults({ throttlePercent: 50 })
    const results = await Promise.allSettled(Array.from({ length: 120 }, () => sandbox.send()))
    const sent = results.filter(({ status }) => status === 'fulfilled').length
    expect(sent).toBeGreaterThan(30)
    expect(sent).toBeLessThan(90)
    expect(await accepted()).toBe(sent)
  })
})
