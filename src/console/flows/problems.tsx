import { Note } from '../ui/states.tsx'

export function Problems({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null
  return (
    <Note tone="careful">
      {messages.map((message) => (
        <p key={message}>{message}.</p>
      ))}
    </Note>
  )
}
