import { useId, useState } from 'react'
import './figure-chart.css'

interface ChartPoint {
  /** `Nov 21`. */
  period: string
  value: number
}

interface FigureChartProps {
  name: string
  /** The figure of the whole range. */
  total: string
  /** Beside it: what share that is. */
  about?: string
  points: readonly ChartPoint[]
  words: (value: number) => string
}

/** A value that is not zero is seen. */
const LEAST_HEIGHT = 2

/**
 * One figure over time, from zero. The slider under it shows the value of a period to whoever has
 * no mouse; whoever has one may point at a bar, too.
 */
export function FigureChart({ name, total, about, points, words }: FigureChartProps) {
  const id = useId()
  const [chosen, setChosen] = useState(points.length - 1)
  const at = Math.min(chosen, points.length - 1)
  const point = points[at]
  const most = Math.max(1, ...points.map(({ value }) => value))
  const step = 1_000 / Math.max(1, points.length)
  return (
    <section className="card figure-card" aria-labelledby={id}>
      <div className="card-body">
        <h2 id={id} className="figure-name">
          {name}
        </h2>
        <p>
          <span className="big-figure">{total}</span>{' '}
          {about === undefined ? null : <span className="soft">{about}</span>}
        </p>
        <svg
          className="figure-chart"
          viewBox="0 0 1000 100"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {[1, 50, 99].map((y) => (
            <line key={y} className="grid" x1="0" x2="1000" y1={y} y2={y} />
          ))}
          {points.map(({ period, value }, index) => {
            const height = value === 0 ? 0 : Math.max(LEAST_HEIGHT, (value / most) * 98)
            return (
              <g key={period} onPointerEnter={() => setChosen(index)}>
                <rect className="space" x={index * step} y="0" width={step} height="100" />
                <rect
                  className={index === at ? 'bar chosen' : 'bar'}
                  x={index * step + step * 0.15}
                  y={99 - height}
                  width={step * 0.7}
                  height={height}
                />
              </g>
            )
          })}
        </svg>
        {point === undefined ? null : (
          <>
            <input
              type="range"
              className="figure-slider"
              aria-label={`${name}: period`}
              min={0}
              max={points.length - 1}
              value={at}
              aria-valuetext={`${point.period}: ${words(point.value)}`}
              onChange={(event) => setChosen(event.currentTarget.valueAsNumber)}
            />
            <p className="soft small row between">
              <span>{point.period}</span>
              <span className="figures">{words(point.value)}</span>
            </p>
          </>
        )}
      </div>
    </section>
  )
}
