import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { sentenceOf } from '../../domain/audience/condition-sentence.ts'
import { counted, number } from '../lib/format.ts'
import { useSettled } from '../lib/settled.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Card } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { fieldWords, rootOf } from './condition-rows.ts'

const TYPING_MS = 400
const EXAMPLES = 5

type Preview = Schemas['SegmentPreview']

interface SegmentPreviewProps {
  condition: Condition
  /** It says something: an unfinished filter is not asked about. */
  isReady: boolean
}

/** How many people that is, and a few of them, while somebody describes them. */
export function SegmentPreview({ condition, isReady }: SegmentPreviewProps) {
  const client = useClient()
  const org = useOrganizationId()
  const settled = useSettled(isReady ? JSON.stringify(condition) : '', TYPING_MS)
  const answer = useQuery({
    queryKey: [org, 'segment-preview', settled],
    queryFn: () =>
      client.post('/v1/segments/preview', {
        body: { condition: JSON.parse(settled), limit: EXAMPLES },
      }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  })
  return (
    <Card title="Who that is">
      <div className="stack">
        <p>{isReady ? sentenceOf(condition) : 'Complete the filters to see who that is.'}</p>
        {settled === '' ? null : (
          <Shown answer={answer}>{(preview) => <Found preview={preview} />}</Shown>
        )}
      </div>
    </Card>
  )
}

function Found({ preview: { count, countIsExact, sample, skippedValues } }: { preview: Preview }) {
  const org = useOrganizationId()
  return (
    <>
      <p role="status">
        <span className="big-figure">
          {countIsExact ? '' : 'about '}
          {number(count)}
        </span>{' '}
        <span className="soft">{count === 1 ? 'person' : 'people'}</span>
      </p>
      {sample.length === 0 ? null : (
        <div>
          <h3>For example</h3>
          <ul>
            {sample.map(({ id, email, phone }) => (
              <li key={id}>
                <Link to="/$org/contacts/$id" params={{ org, id }}>
                  {email ?? phone ?? id}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Skipped skippedValues={skippedValues} />
    </>
  )
}

function Skipped({ skippedValues }: Pick<Preview, 'skippedValues'>) {
  if (skippedValues === null) {
    return (
      <p className="soft">
        Whether some values could not be read is not known: looking takes too long.
      </p>
    )
  }
  return skippedValues.map(({ field, operator, count, examples }) => (
    <Note key={`${field} ${operator}`} tone="careful">
      <strong>
        {counted(count, 'contact has a value', 'contacts have values')} in “{nameOf(field)}” that
        cannot be read
      </strong>
      <p>
        They are left out, whatever they mean
        {examples.length === 0 ? '' : `: ${examples.map((each) => `“${each}”`).join(', ')}`}. Write
        dates as 2026-11-26 and numbers without units, then they count.
      </p>
    </Note>
  ))
}

function nameOf(field: string): string {
  const root = rootOf(field)
  return root ? field.slice(root.root.length) : fieldWords(field)
}
