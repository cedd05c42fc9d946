import { useEffect, useState } from 'react'

/** A text once nobody has typed for so long. */
export function useSettled(text: string, typingMs: number): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs)
    return () => clearTimeout(timer)
  }, [text, typingMs])
  return settled
}
