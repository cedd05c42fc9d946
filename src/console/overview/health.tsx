import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { ago, number, percent } from '../lib/format.ts'
import { healthSentence } from '../lib/health-words.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Meter } from '../ui/meter.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'

const REFRESH_MS = 15_000

type Account = Schemas['AccountHealth']

/** The accounts that mail leaves through, and how near they are to what AWS allows. */
export function Health() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'health'],
    queryFn: () => client.get('/v1/account/health'),
    refetchInterval: useRefresh<Schemas['OrganizationHealth']>(REFRESH_MS),
  })
  return (
    <Card title="AWS accounts">
      <Shown answer={answer}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty title="No account is connected">
              Mail leaves through an AWS account of yours. Without one nothing can be sent.
            </Empty>
          ) : (
            <ul className="lines">
              {accounts.map((account) => (
                <li key={account.id}>
                  <AccountLine account={account} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}

function AccountLine({ account }: { account: Account }) {
  const { accountNumber, region, status, reasons, checkedAt } = account
  return (
    <>
      <div className="row between">
        <strong>
          {accountNumber} <span className="soft">{region}</span>
        </strong>
        <Status list="health" value={status} />
      </div>
      {reasons.map((reason) => (
        <p key={reason}>{healthSentence(reason)}</p>
      ))}
      <Measures account={account} />
      <p className="soft small">
        {checkedAt === null ? 'AWS has not been asked yet.' : `AWS was asked ${ago(checkedAt)}.`}
      </p>
    </>
  )
}

export function Measures({
  account: { quota, reputation, thresholds },
}: {
  account: Pick<Account, 'quota' | 'reputation' | 'thresholds'>
}) {
  const { max24Hour, sentLast24Hours, usedRatio } = quota
  const { bounceRate, complaintRate } = reputation
  return (
    <div className="measures">
      {max24Hour === null || sentLast24Hours === null ? null : (
        <div className="measure">
          <div className="row between">
            <span>24-hour quota</span>
            <span className="soft figures">
              {number(sentLast24Hours)} of {max24Hour < 0 ? 'no limit' : number(max24Hour)}
            </span>
          </div>
          {usedRatio === null ? null : (
            <Meter
              label={`${percent(usedRatio)} of the quota is used`}
              ratio={usedRatio}
              tone={usedRatio >= thresholds.quotaWarn ? 'careful' : 'plain'}
            />
          )}
        </div>
      )}
      <Rate
        name="Bounced"
        rate={bounceRate}
        review={thresholds.bounceReview}
        pause={thresholds.bouncePause}
      />
      <Rate
        name="Complained"
        rate={complaintRate}
        review={thresholds.complaintReview}
        pause={thresholds.complaintPause}
      />
    </div>
  )
}

interface RateProps {
  name: string
  rate: number | null
  /** From here on AWS may review the account, and pause it. */
  review: number
  pause: number
}

function Rate({ name, rate, review, pause }: RateProps) {
  if (rate === null) return null
  const tone = rate >= pause ? 'bad' : rate >= review ? 'careful' : 'plain'
  return (
    <div className="measure">
      <div className="row between">
        <span>{name}</span>
        <span className="soft figures">
          {percent(rate)}; AWS may pause at {percent(pause)}
        </span>
      </div>
      <Meter
        label={`${name}: ${percent(rate)} of ${percent(pause)}`}
        ratio={rate / pause}
        tone={tone}
      />
    </div>
  )
}
