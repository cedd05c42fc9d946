import type { Schemas } from '../../client/index.ts'
import { counted, number, share } from '../lib/format.ts'
import { Table } from '../ui/table.tsx'

const DAYS = 7
const DAY_MS = 86_400_000
/** A day with any mail is seen. */
const LEAST_HEIGHT = 2
const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' })

/** One figure: mails sent a day, from zero. The same as a table is read aloud and can be opened. */
export function MailChart({ metrics }: { metrics: Schemas['EmailMetrics'] }) {
  const days = daysOf(metrics)
  const most = Math.max(1, ...days.map(({ sent }) => sent))
  const { sent, delivered, bounced, complained } = metrics.totals
  return (
    <div className="stack">
      <div>
        <p className="big-figure">{number(sent)}</p>
        <p className="soft">
          sent; {share(delivered, sent)} delivered, {share(bounced, sent)} bounced,{' '}
          {share(complained, sent)} complained
        </p>
      </div>
      <figure
        aria-label={`Mails sent a day: ${days.map((day) => `${day.name} ${number(day.sent)}`).join(', ')}`}
      >
        <svg
          className="mail-chart"
          viewBox="0 0 700 100"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {[1, 50, 99].map((y) => (
            <line key={y} className="grid" x1="0" x2="700" y1={y} y2={y} />
          ))}
          {days.map((day, at) => {
            const height = day.sent === 0 ? 0 : Math.max(LEAST_HEIGHT, (day.sent / most) * 98)
            return (
              <rect
                key={day.period}
                className="bar"
                x={at * 100 + 22}
                y={99 - height}
                width="56"
                height={height}
              >
                <title>{`${day.name}: ${counted(day.sent, 'mail')}`}</title>
              </rect>
            )
          })}
        </svg>
        <div className="days" aria-hidden="true">
          {days.map((day) => (
            <span key={day.period}>{day.name}</span>
          ))}
        </div>
      </figure>
      <details>
        <summary>As a table</summary>
        <Table
          caption="Mails of each of the last 7 days"
          columns={[
            { title: 'Day', cell: ({ period }) => period },
            { title: 'Sent', cell: (day) => number(day.sent), isFigure: true },
            { title: 'Delivered', cell: (day) => number(day.delivered), isFigure: true },
          ]}
          rows={days}
          keyOf={({ period }) => period}
        />
      </details>
    </div>
  )
}

/** Days without mail have no row of the API. */
function daysOf({ data, meta }: Schemas['EmailMetrics']) {
  const byPeriod = new Map(data.map((row) => [row.period, row]))
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: meta.timezone })
  // The middle of the last day: on some days a clock is set forward or back.
  const last = Date.parse(`${local.format(Date.parse(meta.end) - 1)}T12:00:00Z`)
  return Array.from({ length: DAYS }, (_, at) => {
    const noon = new Date(last - (DAYS - 1 - at) * DAY_MS)
    const period = noon.toISOString().slice(0, 10)
    const row = byPeriod.get(period)
    return {
      period,
      name: WEEKDAY.format(noon),
      sent: row?.sent ?? 0,
      delivered: row?.delivered ?? 0,
    }
  })
}
