import { replies, type Spoken, userTurns } from './conversation.js'
import type { Signals } from './signals.js'
import { headline } from './text.js'
import type { AnnotationSummary } from './types.js'

/** Describes a transcript by counting and quoting; nothing in it is guessed. */
export function summarize(talk: readonly Spoken[], signals: Signals): AnnotationSummary {
  const users = userTurns(talk)
  const first = users[0]?.content ?? ''
  const counts = `${talk.length} turns: ${users.length} of the user, ${replies(talk).length} replies, ${tools(talk)} of tools.`
  const concerns = Object.keys(signals).filter((name) => (signals[name]?.severity ?? 0) > 0)
  return {
    title: headline(first, 80) || 'Untitled transcript',
    keywords: keywordsOf([...users, ...replies(talk)].map(({ content }) => content)),
    summary: first === '' ? counts : `${counts} It begins: ${headline(first, 160)}`,
    quality_concerns: concerns.join(', ') || 'none',
    user_intent: headline(first, 240) || 'unknown',
    domain: isAboutCode(talk) ? 'ai_coding' : 'general',
  }
}

const tools = (talk: readonly Spoken[]) => talk.filter(({ speaker }) => speaker === 'tool').length

const stopwords = new Set(
  `about after again all also and any are because been before being but can could did does doing done don't for from had has
  have help here hers him his how i'd i'll i'm i've into is isn't it's its just know let like may more much need not now of
  off okay one only our out over please provide same she should some sure than thank thanks that that's the their them then
  there these they this those through too under until very want was we're were what when where which while who why will with
  would yes you you'd you'll you're your following details further assist assistance proceed`.split(/\s+/),
)

/** The eight most frequent words of three letters or more that carry meaning; ties in order of appearance. */
function keywordsOf(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const words = text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/\p{L}[\p{L}\p{N}'_-]{2,39}/gu)
    for (const word of words ?? []) {
      if (!stopwords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return [...counts.entries()]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([word]) => word)
}

const codeMarks = [
  /```/,
  /\b\w+\.(?:ts|tsx|js|py|rs|go|java|rb|cpp|css|sql|sh|ya?ml)\b/,
  /\b(?:stack ?trace|refactor|compile[rd]?|unit tests?|pull request|codebase|npm|pip install|git (?:commit|push|diff))\b/i,
  /\b(?:function|class|const|def|import) \w+ ?[({=:]/,
]

/** Two different marks of code somewhere in what user and assistant say. */
function isAboutCode(talk: readonly Spoken[]): boolean {
  const texts = [...userTurns(talk), ...talk.filter(({ speaker }) => speaker === 'assistant')].map(
    ({ content }) => content,
  )
  return codeMarks.filter((mark) => texts.some((text) => mark.test(text))).length >= 2
}
