import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import type { Mailer, Outcome, SendingRole } from '../mailer.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'
import { VERIFICATION_TAG } from '../../src/domain/delivery/ses-event.ts'
import type { Roles } from './roles.ts'
import { signedWith } from './signed-with.ts'

const TRY_MS = 3_000

const REFUSED =
  /configuration.?set\b.*\bdoes not exist|ConfigurationSetDoesNotExist|not authorized\b.*:configuration-set\//is

/**
 * Sends one mail to the simulator that names the configuration set. Undefined: the provider gave no
 * answer. At most one attempt, as for all mail.
 */
export async function acceptsConfigurationSet(
  roles: Roles,
  iamRole: IamRole,
  { from, configurationSet }: { from: string; configurationSet: string },
): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(TRY_MS)
  try {
    const credentials = await roles.credentials(iamRole, 'send')
    const client = new SESv2Client({
      region: iamRole.region,
      ...signedWith(credentials),
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: TRY_MS,
        requestTimeout: TRY_MS,
        throwOnRequestTimeout: true,
      },
    })
    const text = 'Asks whether mail is accepted with the configuration set.'
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [SIMULATOR] },
      Content: { Simple: { Subject: { Data: 'Probe' }, Body: { Text: { Data: text } } } },
      EmailTags: [{ Name: VERIFICATION_TAG, Value: iamRole.connectionId }],
      ConfigurationSetName: configurationSet,
    })
    await client.send(command, { abortSignal: signal }).finally(() => client.destroy())
    return true
  } catch (error) {
    return error instanceof Error && REFUSED.test(`${error.name}: ${error.message}`)
      ? false
      : undefined
  }
}

/** Time for which a process leaves the set out after a refusal. By then its connection says so. */
const LEFT_OUT_MS = 60_000
const MOST_LEFT_OUT = 10_000

/**
 * Names each connection's configuration set. A missing set fails no mail: SES refused it before
 * accepting, so the same claim's call is made once more without it, and `onGone` is called.
 */
export function namingConfigurationSets(
  mailer: Mailer,
  onGone: (iamRole: SendingRole, configurationSet: string) => void,
): Mailer {
  const leftOutUntil = new Map<string, number>()
  const isLeftOut = ({ connectionId }: IamRole): boolean =>
    (leftOutUntil.get(connectionId) ?? 0) > performance.now()

  return {
    send: async (mail, call) => {
      const { iamRole } = call
      const { configurationSet } = iamRole
      if (!configurationSet || isLeftOut(iamRole)) return mailer.send(mail, call)
      const outcome = await mailer.send(mail, { ...call, configurationSet })
      if (!isRefused(outcome)) return outcome
      if (!isLeftOut(iamRole)) {
        if (leftOutUntil.size >= MOST_LEFT_OUT) leftOutUntil.clear()
        leftOutUntil.set(iamRole.connectionId, performance.now() + LEFT_OUT_MS)
        onGone(iamRole, configurationSet)
      }
      return mailer.send(mail, call)
    },
    close: () => mailer.close(),
  }
}

const isRefused = (outcome: Outcome | { kind: 'not_begun' }): boolean =>
  (outcome.kind === 'refused' || outcome.kind === 'unavailable') && REFUSED.test(outcome.error)
