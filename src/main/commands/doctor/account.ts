import { createMailer } from '../../../../activities/aws/mailer.ts'
import { createRoles } from '../../../../activities/aws/roles.ts'
import { createVerifier } from '../../../../activities/aws/verifier.ts'
import type { Config } from '../../../config.ts'
import { SIMULATOR } from '../../../domain/delivery/event-recipients.ts'
import { VERIFICATION_TAG } from '../../../domain/delivery/ses-event.ts'
import { readClock } from '../../../store/platform/clock.ts'
import * as senders from '../../../store/accounts/senders.ts'
import * as sendLimits from '../../../store/accounts/send-limits.ts'
import type { Sql } from '../../../store/db/sql.ts'
import { type Finding, ok, problem } from './finding.ts'

const NOT_ALLOWED = 'Compare the role and its trust policy with GET /v1/connections/{id}/setup.'

/**
 * Tries out a connected account: its role and permissions, and one mail to the mailbox simulator,
 * which takes a permit like all mail. Says what SES allows.
 */
export async function examineAccount(
  sql: Sql,
  { timings }: Config,
  connectionId: string,
): Promise<Finding[]> {
  const sender = await senders.findAny(sql, connectionId)
  if (!sender) {
    return [problem('account', 'There is no such connection.', 'Name one: GET /v1/connections.')]
  }
  const roles = createRoles()
  const { checks, maxSendRate, max24Hour, sentLast24Hours, from } =
    await createVerifier(roles).verify(sender)
  // What was not tried says nothing: the role could not be assumed.
  const failedChecks = checks.filter(({ ok: passed, error }) => !passed && error !== 'not_tried')
  if (failedChecks.length > 0) {
    return failedChecks.map(({ name, error }) =>
      problem('account', `${name}: ${error ?? 'refused'}.`, NOT_ALLOWED),
    )
  }
  const allowed = `SES allows ${maxSendRate ?? 'an unknown number of'} mails a second and ${quotaText(max24Hour)} in 24 hours, of which ${sentLast24Hours ?? 'an unknown number'} are sent.`
  const findings = [ok('account', allowed)]
  if (from === null) {
    const remedy = 'Verify a domain or an address in the account.'
    return [...findings, problem('sending', 'No identity of the account may send.', remedy)]
  }
  const { granted } = await sendLimits.grantPermits(sql, sender, 1)
  if (granted === 0) {
    const message = 'The limiter has no permit for this account now.'
    return [...findings, problem('sending', message, 'Try again in a minute.')]
  }
  const mailer = createMailer({ roles, ...timings })
  try {
    const signedAt = new Date(await readClock(sql))
    const beginBy = performance.now() + timings.beginMs
    const tags = [{ name: VERIFICATION_TAG, value: connectionId }]
    const { configurationSet } = sender
    const mail = {
      ...TRIAL,
      from,
      tags,
      ...(configurationSet === null ? {} : { configurationSet }),
    }
    const outcome = await mailer.send(mail, { iamRole: sender, signedAt, beginBy })
    return [
      ...findings,
      outcome.kind === 'sent'
        ? ok('sending', 'SES accepted a mail to the simulator.')
        : problem(
            'sending',
            `SES did not accept a mail to the simulator: ${'error' in outcome ? outcome.error : outcome.kind}.`,
            NOT_ALLOWED,
          ),
    ]
  } finally {
    await mailer.close()
  }
}

/** -1 is SES' word for any number. */
const quotaText = (max24Hour: number | null): string =>
  max24Hour === null ? 'an unknown number' : max24Hour < 0 ? 'any number' : String(max24Hour)

const TRIAL = {
  replyTo: null,
  to: SIMULATOR,
  subject: 'Probe',
  html: null,
  text: 'Asks whether mail is accepted.',
  headers: [],
}
