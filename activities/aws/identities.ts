import {
  GetEmailIdentityCommand,
  type GetEmailIdentityResponse,
  type IdentityInfo,
  ListEmailIdentitiesCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import type { Identity, ListedIdentity } from '../../src/domain/accounts/identity.ts'
import type { Identities } from '../provider.ts'
import { ask } from './asking.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { Roles } from './roles.ts'
import type { Credentials } from './signature.ts'
import { signedWith } from './signed-with.ts'

/** The maximum of SES (SES v2 API reference, ListEmailIdentities). */
const PAGE_SIZE = 1_000
/** An account has at most 10,000 identities in a region (SES developer guide, "Service quotas"). */
const MOST_PAGES = 20
/** Errors of SES for a name that is missing, or that cannot be an identity. */
const ABSENT = ['NotFoundException', 'BadRequestException']

export function createIdentities(roles: Roles): Identities {
  return {
    async *list(iamRole, signalOfPage) {
      let token: string | undefined
      for (let page = 0; page < MOST_PAGES; page++) {
        const signal = signalOfPage()
        const command = new ListEmailIdentitiesCommand({
          PageSize: PAGE_SIZE,
          ...(token === undefined ? {} : { NextToken: token }),
        })
        const answer = await ask({
          roles,
          iamRole,
          purpose: 'read',
          signal,

          call: (credentials) =>
            using(iamRole, credentials, (ses) => ses.send(command, { abortSignal: signal })),
        })
        if (answer.kind !== 'told') return yield answer
        const { EmailIdentities: identities = [], NextToken: next } = answer.value
        yield { kind: 'told', value: identities.flatMap(listed) }
        if (next === undefined) return
        token = next
      }
    },

    find: (iamRole, identity, signal) =>
      ask({
        roles,
        iamRole,
        purpose: 'read',
        signal,

        call: (credentials) =>
          using(iamRole, credentials, async (ses) => {
            try {
              const command = new GetEmailIdentityCommand({ EmailIdentity: identity })
              return described(identity, await ses.send(command, { abortSignal: signal }))
            } catch (error) {
              if (error instanceof Error && ABSENT.includes(error.name)) return undefined
              throw error
            }
          }),
      }),
  }
}

async function using<T>(
  { region }: IamRole,
  credentials: Credentials,
  work: (ses: SESv2Client) => Promise<T>,
): Promise<T> {
  const client = new SESv2Client({
    region,
    ...signedWith(credentials),
    maxAttempts: 1,
  })
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}

const listed = (identityInfo: IdentityInfo): ListedIdentity[] =>
  identityInfo.IdentityName === undefined
    ? []
    : [
        {
          identity: identityInfo.IdentityName,
          identityType: identityInfo.IdentityType ?? null,
          sendingEnabled: identityInfo.SendingEnabled ?? null,
          verificationStatus: identityInfo.VerificationStatus ?? null,
        },
      ]

function described(identity: string, response: GetEmailIdentityResponse): Identity {
  const { DkimAttributes: dkim, MailFromAttributes: mailFrom } = response
  return {
    identity,
    identityType: response.IdentityType ?? null,
    verifiedForSending: response.VerifiedForSendingStatus ?? false,
    verificationStatus: response.VerificationStatus ?? null,
    dkim:
      dkim === undefined
        ? null
        : {
            status: dkim.Status ?? null,
            signingAttributesOrigin: dkim.SigningAttributesOrigin ?? null,
            tokens: dkim.Tokens ?? [],
            signingHostedZone: dkim.SigningHostedZone ?? null,
          },
    mailFromDomain: mailFrom?.MailFromDomain
      ? { domain: mailFrom.MailFromDomain, status: mailFrom.MailFromDomainStatus ?? null }
      : null,
    feedbackForwarding: response.FeedbackForwardingStatus ?? false,
    configurationSet: response.ConfigurationSetName ?? null,
  }
}
