import type { ReactNode } from 'react'
import './table.css'

interface Column<Row> {
  title: string
  /** The first column names the row and is read as its head. */
  cell: (row: Row) => ReactNode
  isFigure?: boolean
  /** Columns of least worth go first as the page narrows. */
  isExtra?: boolean
  /** Read aloud only: a column of buttons needs no title to look at. */
  isUntitled?: boolean
}

interface TableProps<Row> {
  /** What is listed, for who cannot see it. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className="table">
      <caption className="read-aloud">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isFigure, isExtra, isUntitled }) => (
            <th key={title} scope="col" className={classOf(isFigure, isExtra)}>
              {isUntitled ? <span className="read-aloud">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, isFigure, isExtra }, at) =>
              at === 0 ? (
                <th key={title} scope="row" className={classOf(isFigure, isExtra)}>
                  {cell(row)}
                </th>
              ) : (
                <td key={title} data-title={title} className={classOf(isFigure, isExtra)}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const classOf = (isFigure = false, isExtra = false): string | undefined =>
  [isFigure ? 'figure' : '', isExtra ? 'extra' : ''].join(' ').trim() || undefined
