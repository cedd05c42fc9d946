import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useSettled } from '../lib/settled.ts'
import { useClient } from '../lib/session.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Shown } from '../ui/states.tsx'
import { nameOf } from '../sending/batch-words.ts'
import { PLACES } from './places.ts'
import './finder.css'

const TYPING_MS = 250
const LEAST_LETTERS = 2
const MOST_OF_EACH = 5

interface FinderProps {
  org: string
  isOpen: boolean
  close: () => void
}

/** Goes to a page, a contact, a batch, a template or a workflow by its name. */
export function Finder({ org, isOpen, close }: FinderProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const settled = useSettled(text.trim(), TYPING_MS)
  const moveFocus = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const places = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')]
    const at = places.findIndex((place) => place === document.activeElement)
    const next = places[at + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  const leave = (): void => {
    close()
    setText('')
  }
  const pages = PLACES.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <Dialog title="Go to" isOpen={isOpen} close={leave} initialFocus={field}>
      {/* The arrow keys go through what was found; Tab does, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div className="stack" onKeyDown={moveFocus}>
        <input
          ref={field}
          type="search"
          className="input"
          aria-label="Name of a page, contact, batch, template or workflow"
          placeholder="A page, contact, batch, template or workflow"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {pages.length === 0 ? null : (
          <Found title="Pages">
            {pages.map(({ to, name, icon: Icon }) => (
              <li key={to}>
                <Link to={to} params={{ org }} className="found" onClick={leave}>
                  <Icon aria-hidden="true" size={16} />
                  {name}
                </Link>
              </li>
            ))}
          </Found>
        )}
        {settled.length < LEAST_LETTERS ? null : (
          <FoundThings org={org} search={settled} leave={leave} />
        )}
      </div>
    </Dialog>
  )
}

const Found = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h3 className="soft small">{title}</h3>
    <ul>{children}</ul>
  </section>
)

interface FoundThingsProps {
  org: string
  search: string
  leave: () => void
}

function FoundThings({ org, search, leave }: FoundThingsProps) {
  const client = useClient()
  const answer = useQuery({
    queryKey: [org, 'found', search],
    queryFn: async () => {
      const [contacts, batches, templates, workflows] = await Promise.all([
        client.get('/v1/contacts', { params: { query: { search, pageSize: MOST_OF_EACH } } }),
        client.get('/v1/batch', { params: { query: { search, pageSize: MOST_OF_EACH } } }),
        client.get('/v1/templates', { params: { query: { search, limit: MOST_OF_EACH } } }),
        client.get('/v1/workflows', { params: { query: { search, limit: MOST_OF_EACH } } }),
      ])
      return {
        contacts: contacts.contacts,
        batches: batches.data,
        templates: templates.data,
        workflows: workflows.data,
      }
    },
    staleTime: 10_000,
    gcTime: 30_000,
  })
  const { data } = answer
  if (!data) return <Shown answer={answer}>{() => null}</Shown>
  const { contacts, batches, templates, workflows } = data
  const count = contacts.length + batches.length + templates.length + workflows.length
  const link = { className: 'found', onClick: leave }
  return (
    <>
      <p role="status" className={count === 0 ? 'soft' : 'read-aloud'}>
        {count === 0 ? `Nothing here is called “${search}”.` : `${count} found`}
      </p>
      {contacts.length === 0 ? null : (
        <Found title="Contacts">
          {contacts.map(({ id, email, phone }) => (
            <li key={id}>
              <Link to="/$org/contacts/$id" params={{ org, id }} {...link}>
                {email ?? phone ?? id}
              </Link>
            </li>
          ))}
        </Found>
      )}
      {batches.length === 0 ? null : (
        <Found title="Batches">
          {batches.map((batch) => (
            <li key={batch.id}>
              <Link to="/$org/batches/$id" params={{ org, id: batch.id }} {...link}>
                {nameOf(batch)}
              </Link>
            </li>
          ))}
        </Found>
      )}
      {templates.length === 0 ? null : (
        <Found title="Templates">
          {templates.map(({ id, name }) => (
            <li key={id}>
              <Link to="/$org/templates/$id" params={{ org, id }} {...link}>
                {name}
              </Link>
            </li>
          ))}
        </Found>
      )}
      {workflows.length === 0 ? null : (
        <Found title="Workflows">
          {workflows.map(({ id, name }) => (
            <li key={id}>
              <Link to="/$org/workflows/$id" params={{ org, id }} {...link}>
                {name}
              </Link>
            </li>
          ))}
        </Found>
      )}
    </>
  )
}
