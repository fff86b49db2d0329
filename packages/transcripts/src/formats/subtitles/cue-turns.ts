import { roleOfSpeaker, speakerLine } from '../../contract/index.js'
import { bytesOf, bytesOfLine, ConversationBuilder, ConversationSize } from '../../conversation/index.js'
import type { AllowUndefined } from '../../json/index.js'
import {
  type ConversationDraft,
  type Losses,
  type Place,
  type ReaderContext,
  type Report,
  reasons,
} from '../../model/index.js'
import { type Spoken, spokenIn } from './cue-text.js'

/** A text that is shown for a time, in seconds from the start of the recording. */
export interface Cue {
  start: number
  end: number
  /** The speaker that its identifier names. */
  speaker: string | undefined
  lines: { text: string; place: Place }[]
}

type CueText = Spoken & { place: Place }
type Texts = Pick<Cue, 'start' | 'end'> & { texts: CueText[] }

/** The number of cues by which it is decided whether `Ann: ` at the start of a cue names a speaker. */
const sampledCues = 50
/** Captions that roll up repeat a line in a cue that follows at once. */
const longestGap = 0.1

/** Makes turns of cues: consecutive cues of one speaker are one turn. */
export class CueTurns {
  readonly losses: Losses
  readonly report: Report
  readonly #context: ReaderContext
  readonly #conversation: ConversationBuilder
  /** The first cues, until it is known if they have labels. */
  #sample: Texts[] | undefined = []
  #hasLabels = false
  #previous: Texts | undefined
  #turn:
    | { speaker: string | undefined; text: string; size: ConversationSize; start: number; end: number; place: Place }
    | undefined
  #first: Place | undefined

  constructor(context: ReaderContext) {
    this.#context = context
    this.#conversation = new ConversationBuilder(context)
    this.losses = this.#conversation.losses
    this.report = this.#conversation.report
  }

  add({ start, end, speaker, lines }: Cue): void {
    let voice = speaker
    const texts = lines.flatMap(({ text, place }) => {
      this.losses.note(text)
      const spoken = spokenIn(text, voice)
      voice = spoken.voice
      return spoken.texts.map((each) => ({ ...each, place }))
    })
    if (texts.length === 0) return
    this.#first ??= texts[0]?.place
    const cue = { start, end, texts }
    if (!this.#sample) return this.#addTexts(cue)
    this.#sample.push(cue)
    if (this.#sample.length === sampledCues) this.#addSample()
  }

  /** Undefined if no cue has a text. */
  build(
    fields: AllowUndefined<Pick<ConversationDraft, 'name' | 'language' | 'metadata'>>,
  ): ConversationDraft | undefined {
    this.#addSample()
    this.#endTurn()
    return this.#first && this.#conversation.build({ ...fields, place: this.#first })
  }

  #addSample(): void {
    const cues = this.#sample ?? []
    this.#hasLabels = hasLabels(cues)
    this.#sample = undefined
    for (const cue of cues) this.#addTexts(cue)
  }

  #addTexts(cue: Texts): void {
    const { start, end, texts } = cue
    const [first] = texts
    const label = this.#hasLabels && first ? speakerLine(first.text) : undefined
    const repeated = label ? 0 : repeatedLines(this.#previous, cue)
    if (repeated > 0) this.losses.add('merged', 'repeated line of captions', reasons.repeated, repeated)
    if (start < (this.#previous?.start ?? 0))
      this.losses.add('changed', 'cue that begins before the one before it', 'kept in the order of the file')
    this.#previous = cue
    for (const { voice, text, place } of texts.slice(repeated)) {
      const isLabelled = label !== undefined && text === first?.text && place === first.place
      // A text without a name continues that of the speaker before.
      const speaker = voice ?? (isLabelled ? label.speaker : this.#turn?.speaker)
      const said = isLabelled ? label.text : text
      if (this.#turn && this.#turn.speaker === speaker) {
        this.#turn.text += this.#turn.text === '' ? said : ` ${said}`
        this.#turn.size.add(bytesOfLine + bytesOf(said), this.#turn.place)
        this.#turn.end = Math.max(this.#turn.end, end)
      } else {
        this.#endTurn()
        this.#turn = { speaker, text: said, size: new ConversationSize(), start, end, place }
      }
    }
  }

  #endTurn(): void {
    if (!this.#turn) return
    const { speaker, text, start, end, place } = this.#turn
    const metadata = speaker === undefined ? { start, end } : { speaker, start, end }
    // Without a text it is no turn, whose role might be a loss.
    const role = text === '' ? 'user' : roleOfSpeaker(speaker, this.#context, this.losses)
    this.#conversation.addMessage(role, text, { place, metadata })
    this.#turn = undefined
  }
}

/**
 * True if `Ann: ` at the start of a cue names a speaker: the first cue begins with a name, and so do half of them, or the
 * same names come again. Any other colon is text.
 */
function hasLabels(cues: readonly Texts[]): boolean {
  if (cues.some(({ texts }) => texts.some(({ voice }) => voice !== undefined))) return false
  const labels = cues.map(({ texts: [first] }) => speakerLine(first?.text ?? '')?.speaker)
  const names = labels.filter((label) => label !== undefined)
  return labels[0] !== undefined && (names.length * 2 >= cues.length || names.length >= new Set(names).size * 2)
}

/** The number of lines at the start of a cue that repeat the last lines of the cue before, as in captions that roll up. */
function repeatedLines(previous: Texts | undefined, { start, texts }: Texts): number {
  if (!previous || start > previous.end + longestGap) return 0
  for (let count = Math.min(previous.texts.length, texts.length); count > 0; count--) {
    const last = previous.texts.slice(-count)
    if (
      last.every(
        ({ voice, text }, at) => voice === undefined && texts[at]?.voice === undefined && texts[at]?.text === text,
      )
    )
      return count
  }
  return 0
}
