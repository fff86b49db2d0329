import {
  aliasedRole,
  defineTextFormat,
  type MarkdownMeaningOf,
  readerOfMarkdown,
  readerOfSample,
  speakerLine,
} from '../../contract/index.js'
import type { ReaderContext, Role } from '../../model/index.js'
import { mayBeName, roleOfLabel, withoutSaid } from './labels.js'

const sampledLines = 50

/** Plain texts of calls and chats, also the prompts with `Human:` and `Assistant:`. */
export const speakerLines = defineTextFormat({
  id: 'speaker-lines',
  title: 'Lines of speakers',
  accepts: 'lines "NAME: TEXT", such as "User: Hello", and lines that continue them',
  detect(lines) {
    const sample = new Labels(lines)
    return sample.areRoles ? 0.85 : sample.areNames ? 0.8 : 0
  },
  reader(context) {
    const lines: string[] = []
    const add = (line: string) => (lines.push(line) === sampledLines ? lineMeanings(lines, context) : undefined)
    return readerOfSample(context, { add, end: () => lineMeanings(lines, context) }, (meaningOf) =>
      readerOfMarkdown(context, meaningOf),
    )
  },
})

interface Label {
  speaker: string
  text: string
  /** The role that the name says. */
  role: Role | undefined
}

function labelOf(line: string): Label | undefined {
  const found = speakerLine(line)
  if (!found) return undefined
  const speaker = withoutSaid(found.speaker)
  return { ...found, speaker, role: roleOfLabel(speaker) ?? aliasedRole(speaker) }
}

const isUser = ({ role }: Label) => role === 'user'
const answers = ({ role }: Label) => role === 'assistant' || role === 'human_agent'
const isSentence = ({ text }: Label) => /[.!?…。？！]["”’)]?$/.test(text.slice(-200))

/** The labels of the first lines. */
class Labels {
  /** True if the names say who is the user and who answers; then no other names are speakers. */
  readonly areRoles: boolean
  /** True if the names of people are repeated, and they talk in sentences. */
  readonly areNames: boolean
  readonly #counts = new Map<string, number>()

  constructor(lines: readonly string[]) {
    const filled = lines.filter((line) => line.trim() !== '')
    const all = filled.flatMap((line) => labelOf(line) ?? [])
    const known = all.filter(({ role }) => role !== undefined)
    for (const { speaker } of all) this.#counts.set(speaker, (this.#counts.get(speaker) ?? 0) + 1)
    const [first] = filled.map(labelOf)
    // A form has such words, too: `Contact: Ann`, `Support: yes`.
    const isTalk =
      known.some((each) => roleOfLabel(each.speaker) === 'user') &&
      known.some((each) => roleOfLabel(each.speaker) === 'assistant')
    const isSpoken = known.some((each) => isSentence(each)) && known.length > 3
    this.areRoles =
      first?.role !== undefined &&
      known.some(isUser) &&
      known.some(answers) &&
      known.length * 2 > all.length &&
      (isTalk || isSpoken)
    const named = all.filter(({ speaker }) => this.isRepeated(speaker) && isName(speaker))
    this.areNames =
      first !== undefined &&
      isName(first.speaker) &&
      named.length >= 4 &&
      new Set(named.map(({ speaker }) => speaker)).size > 1 &&
      named.length >= all.filter(isCapital).length * 0.8 &&
      all.length * 2 >= filled.length &&
      all.filter(isSentence).length * 2 >= all.length &&
      // Programs that write labels ask nothing.
      named.filter(({ text }) => /[?？]["”’)]?$/.test(text)).length > 0
  }

  isRepeated(speaker: string): boolean {
    return (this.#counts.get(speaker) ?? 0) > 1
  }
}

const isCapital = ({ speaker }: Pick<Label, 'speaker'>) => /^(?:\p{Lu}|\p{Lo})/u.test(speaker)

const isName = (speaker: string) => mayBeName(speaker) && isCapital({ speaker }) && speaker.split(/\s+/).length <= 4

function lineMeanings(lines: readonly string[], { options }: ReaderContext): MarkdownMeaningOf {
  const sample = new Labels(lines)
  const isSpeaker = ({ speaker, role }: Label, isNewBlock: boolean): boolean => {
    if (options.columns !== undefined && Object.hasOwn(options.columns, `role:${speaker}`)) return true
    if (sample.areRoles) return roleOfLabel(speaker) !== undefined || (role !== undefined && sample.isRepeated(speaker))
    return role !== undefined || (isName(speaker) && (sample.isRepeated(speaker) || isNewBlock))
  }
  let isNewBlock = true
  return (line, _open, isFenced) => {
    const label = isFenced ? undefined : labelOf(line)
    const isStart = label !== undefined && isSpeaker(label, isNewBlock)
    isNewBlock = line.trim() === '' || isStart
    if (!label || !isStart) return undefined
    const { speaker, text } = label
    const isOwn = options.columns !== undefined && Object.hasOwn(options.columns, `role:${speaker}`)
    const isChosen = isOwn || (options.columns !== undefined && aliasedRole(speaker) !== undefined)
    return { speaker, text, role: isChosen ? undefined : roleOfLabel(speaker) }
  }
}
