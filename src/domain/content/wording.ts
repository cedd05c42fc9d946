import { DE } from './languages/de.ts'
import { EN } from './languages/en.ts'
import { ES } from './languages/es.ts'
import { FR } from './languages/fr.ts'

export type TextName = keyof typeof EN
export type Texts = Readonly<Record<TextName, string>>

const ALL = { en: EN, de: DE, fr: FR, es: ES } satisfies Record<string, Texts>

/** ISO 639-1. */
export type Language = keyof typeof ALL
export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const satisfies readonly Language[]
export const TEXTS: Texts = EN
export const TEXT_NAMES = Object.keys(EN) as readonly TextName[]

export interface Voice {
  language: Language
  texts: Partial<Record<TextName, string>>
}

export const OURS: Voice = { language: 'en', texts: {} }

/** Returns a text with its placeholders filled in. The values are not escaped. */
export type Say = (name: TextName, values?: Readonly<Record<string, string | number>>) => string

export function sayAs({ language, texts }: Voice): Say {
  return (name, values = {}) =>
    (texts[name] ?? ALL[language][name]).replace(PLACEHOLDER, (placeholder, key: string) =>
      Object.hasOwn(values, key) ? String(values[key]) : placeholder,
    )
}

const PLACEHOLDER = /\{([a-z]+)\}/g

/** Returns the placeholders of a text that our own text does not have. */
export function unknownPlaceholders(name: TextName, text: string): string[] {
  const ownPlaceholders = new Set(EN[name].match(PLACEHOLDER))
  return [...new Set(text.match(PLACEHOLDER))].filter((each) => !ownPlaceholders.has(each))
}
