import type { ReactNode } from 'react'
import { Card } from './page.tsx'
import { Pager } from './pager.tsx'
import { type Answer, Shown } from './states.tsx'

interface ListPage<Row> {
  data: readonly Row[]
  nextCursor: string | null
}

interface ListCardProps<Row> {
  title?: string
  actions?: ReactNode
  answer: Answer<ListPage<Row>>
  cursor: string | undefined
  isFiltered?: boolean
  /** Instead of rows, where there are none at all. */
  empty: ReactNode
  /** Instead of rows, where none fits the filters. */
  nothingFound?: ReactNode
  children: (rows: readonly Row[]) => ReactNode
}

/** A list by cursor: its rows and the way to older ones, or why there are none. */
export function ListCard<Row>({
  title,
  actions,
  answer,
  cursor,
  isFiltered = false,
  empty,
  nothingFound,
  children,
}: ListCardProps<Row>) {
  return (
    <Card title={title} actions={actions} isFlush>
      <Shown answer={answer}>
        {({ data, nextCursor }) =>
          data.length === 0 ? (
            isFiltered ? (
              nothingFound
            ) : (
              empty
            )
          ) : (
            <>
              {children(data)}
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </Card>
  )
}
