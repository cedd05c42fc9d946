import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { liquid } from '@codemirror/lang-liquid'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import './code-editor.css'

/** Puts a text where the cursor is. */
export type Insert = (text: string) => void

interface CodeEditorProps {
  label: string
  value: string
  change: (value: string) => void
  isReadOnly?: boolean
  /** Is called with what inserts a text, once it can. It must stay the same function. */
  ready?: (insert: Insert) => void
}

/**
 * The text of a mail with its HTML, MJML and Liquid in colours. The Tab key leaves it, as it leaves
 * any field; nothing that is pasted is rewritten.
 */
export function CodeEditor({ label, value, change, isReadOnly = false, ready }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(change)
  const first = useRef(value)

  useEffect(() => {
    if (!place.current) return
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          // The policy of the page lets only styles with its nonce in.
          EditorView.cspNonce.of(nonceOfPage()),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          EditorView.lineWrapping,
          keymap.of([...standardKeymap, ...historyKeymap]),
          liquid({ base: html({ autoCloseTags: false }) }),
          syntaxHighlighting(COLOURS),
          LOOK,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) changed.current(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    ready?.((text) => {
      editor.dispatch(editor.state.replaceSelection(text))
      editor.focus()
    })
    return () => editor.destroy()
  }, [isReadOnly, label, ready])

  useEffect(() => {
    changed.current = change
  }, [change])

  // Something else than typing changed it: what somebody else saved was taken over.
  useEffect(() => {
    first.current = value
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])

  return <div ref={place} className="code-editor" />
}

const nonceOfPage = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

const LOOK = EditorView.theme({
  '&': { color: 'var(--text)', fontSize: '0.8125rem' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.25rem', minHeight: '320px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--ground)',
    color: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--accent-tint)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)' },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--busy)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--careful)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--good)' },
  { tag: [tags.keyword, tags.brace, tags.variableName], color: 'var(--bad)' },
  { tag: [tags.comment], color: 'var(--soft)', fontStyle: 'italic' },
])
