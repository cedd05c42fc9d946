import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Sql } from '../../src/store/db/sql.ts'
import { NO_SMS, SmsSettingsSchema } from './sms/settings.ts'

const Percent = Type.Number({ minimum: 0, maximum: 100 })
const Rate = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()])
const closed = { additionalProperties: false }

/** One AWS account in one region, as the control routes set and show it. */
const AccountSchema = Type.Object(
  {
    accountNumber: Type.String({ pattern: '^\\d{12}$' }),
    region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-\\d$' }),
    /** Recipients a second. */
    maxSendRate: Type.Number({ minimum: 0 }),
    /** Recipients in 24 hours. -1: unlimited. */
    max24Hour: Type.Integer({ minimum: -1 }),
    sendingEnabled: Type.Boolean(),
    /** False: SES' own sandbox, which sends to verified addresses only. */
    productionAccess: Type.Boolean(),
    enforcementStatus: Type.Enum(['HEALTHY', 'PROBATION', 'SHUTDOWN']),
    /** The value that SES reports. Null: the real one. */
    sentLast24Hours: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
    /** The values of CloudWatch, a null without a data point. Null: the counted ones. */
    reputation: Type.Union([
      Type.Object({ bounceRate: Rate, complaintRate: Rate }, closed),
      Type.Null(),
    ]),
    pricingPlan: Type.Enum(['NONE', 'ESSENTIALS', 'PRO', 'ENTERPRISE']),
    identities: Type.Array(
      Type.Object(
        {
          identity: Type.String({ minLength: 1 }),
          verified: Type.Boolean(),
          mailFromDomain: Type.Optional(Type.String()),
          configurationSet: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
    /** Roles belong to the account and can be assumed for every region. */
    roles: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1 }),
          /** Null: can be assumed without one. */
          externalId: Type.Union([Type.String(), Type.Null()]),
          policyVersion: Type.Integer(),
          /** Required actions that its policies do not allow. */
          lacks: Type.Optional(Type.Array(Type.String())),
        },
        closed,
      ),
    ),
    /** Destinations of delivery events. The index in this list is an event's target. */
    webhooks: Type.Array(
      Type.Union([
        Type.Object(
          { url: Type.String(), secret: Type.String(), region: Type.Optional(Type.String()) },
          closed,
        ),
        Type.Object({ queue: Type.String(), region: Type.Optional(Type.String()) }, closed),
      ]),
    ),
    queues: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: '^[\\w-]{1,80}$' }),
          /** Queue for messages that were received `maxReceiveCount` times. */
          deadLetterQueue: Type.Optional(Type.String()),
          maxReceiveCount: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        closed,
      ),
    ),
    /** Events of mail to these addresses are lost for good, as the provider may do. */
    lostRecipients: Type.Array(Type.String({ pattern: '^[^A-Z]+$' })),
    engagement: Type.Object(
      {
        openPercent: Percent,
        clickPercent: Percent,
        deliveryDelayMs: Type.Integer({ minimum: 0 }),
      },
      closed,
    ),
    /** Null: any name is accepted. */
    configurationSets: Type.Union([Type.Array(Type.String()), Type.Null()]),
    /**
     * Mail makes events only with a configuration set, named or the identity's own, as with SES.
     */
    eventsNeedConfigurationSet: Type.Boolean(),
    sms: SmsSettingsSchema,
  },
  closed,
)
export type Account = Static<typeof AccountSchema>
export type Role = Account['roles'][number]

const AccountUpdateSchema = Type.Partial(
  Type.Object({
    ...Type.Omit(AccountSchema, ['accountNumber', 'engagement', 'sms']).properties,
    engagement: Type.Partial(AccountSchema.properties.engagement, closed),
    sms: Type.Partial(AccountSchema.properties.sms, closed),
  }),
  closed,
)
export type AccountUpdate = Static<typeof AccountUpdateSchema>
export const accountUpdate = Compile(AccountUpdateSchema)

const DEFAULT_REGION = 'us-east-1'

/** A new region: the figures of SES' sandbox and nothing verified. */
const newAccount = (accountNumber: string, region: string): Account => ({
  accountNumber,
  region,
  maxSendRate: 1,
  max24Hour: 200,
  sendingEnabled: true,
  productionAccess: false,
  enforcementStatus: 'HEALTHY',
  sentLast24Hours: null,
  reputation: null,
  pricingPlan: 'NONE',
  identities: [],
  roles: [],
  webhooks: [],
  queues: [],
  lostRecipients: [],
  engagement: { openPercent: 40, clickPercent: 10, deliveryDelayMs: 300 },
  configurationSets: [],
  eventsNeedConfigurationSet: false,
  sms: NO_SMS,
})

/** Accounts are held in memory, and every change is written to Postgres. */
export async function loadAccounts(sql: Sql) {
  const accounts = new Map<string, Account>()
  const verified = new WeakMap<Account, Set<string>>()
  const key = (accountNumber: string, region: string): string => `${accountNumber} ${region}`

  const rows = await sql<{ account: string; region: string; config: Partial<Account> }[]>`
    select account, region, config
    from sandbox.accounts`
  for (const { account, region, config } of rows) {
    accounts.set(key(account, region), { ...newAccount(account, region), ...config })
  }

  const all = (accountNumber?: string): Account[] =>
    [...accounts.values()].filter(
      (each) => accountNumber === undefined || each.accountNumber === accountNumber,
    )

  const get = (accountNumber: string, region: string): Account =>
    accounts.get(key(accountNumber, region)) ?? newAccount(accountNumber, region)

  return {
    all,
    get,

    /** Creates or changes the account in `region`. Without a region, in the only region it has. */
    put: async (accountNumber: string, update: AccountUpdate): Promise<Account> => {
      const accountsOfNumber = all(accountNumber)
      const region = update.region ?? accountsOfNumber[0]?.region ?? DEFAULT_REGION
      const before = get(accountNumber, region)
      const engagement = { ...before.engagement, ...update.engagement }
      const sms = { ...before.sms, ...update.sms }
      const account: Account = { ...before, ...update, accountNumber, region, engagement, sms }
      await sql`
        insert into sandbox.accounts (account, region, config)
        values (${accountNumber}, ${region}, ${sql.json(account)})
        on conflict (account, region) do update
        set config = excluded.config`
      accounts.set(key(accountNumber, region), account)
      return account
    },

    role: (accountNumber: string, name: string): Role | undefined =>
      all(accountNumber)
        .flatMap(({ roles }) => roles)
        .find((role) => role.name === name),

    /** Configuration set of the address' identity or its domain's, or null. */
    ownConfigurationSet: ({ identities }: Account, address: string): string | null => {
      const lower = address.toLowerCase()
      const domain = lower.slice(lower.lastIndexOf('@') + 1)
      const own = (name: string) => identities.find(({ identity }) => identity === name)
      return own(lower)?.configurationSet ?? own(domain)?.configurationSet ?? null
    },

    /** Returns whether the address, its domain or a parent domain is verified. */
    isVerified: (account: Account, address: string): boolean => {
      const verifiedNames = verified.get(account) ?? verifiedOf(account)
      verified.set(account, verifiedNames)
      const lower = address.toLowerCase()
      if (verifiedNames.has(lower)) return true
      let domain = lower.slice(lower.lastIndexOf('@') + 1)
      while (domain !== '') {
        if (verifiedNames.has(domain)) return true
        const dot = domain.indexOf('.')
        domain = dot < 0 ? '' : domain.slice(dot + 1)
      }
      return false
    },
  }
}
export type Accounts = Awaited<ReturnType<typeof loadAccounts>>

const verifiedOf = ({ identities }: Account): Set<string> =>
  new Set(identities.filter((each) => each.verified).map((each) => each.identity.toLowerCase()))
