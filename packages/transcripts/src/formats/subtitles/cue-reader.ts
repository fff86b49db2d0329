import { cueTimes, type LineReader } from '../../contract/index.js'
import { describe } from '../../json/index.js'
import { type ConversationDraft, type Place, type ReaderContext, reasons } from '../../model/index.js'
import { type Cue, CueTurns } from './cue-turns.js'

interface Line {
  text: string
  place: Place
}

/** Matches times with nothing behind them but settings, such as `align:left` or `X1:10`. */
const settings = /^[\s\d:.,]*-->\s*\S+(?:\s+[^\s:]+:\S+)*\s*$/

const isNumber = (text: string | undefined): boolean => text !== undefined && /^\s*\d+\s*$/.test(text)
/** Times without an arrow, or with a part of one. */
const damagedTimes = /^\s*\d+:\d\d(?::\d\d)?[.,]\d+\s*(?:-|$)/

/**
 * Reads the cues of WebVTT or SRT. Text after a blank line continues the cue, because SRT does not escape blank lines; the line
 * right before the times is the identifier of the cue.
 */
export class CueReader implements LineReader {
  readonly #isWebVtt: boolean
  readonly #turns: CueTurns
  /** `skipped`: the lines up to the next blank one are read already, or are no cue. */
  #block: 'start' | 'header' | 'cues' | 'skipped' = 'start'
  #isAfterBlank = true
  /** A line after a blank one, which is an identifier if times follow. */
  #pending: Line | undefined
  #cue: Cue | undefined
  #hasStrayText = false
  #header: string[] = []
  #title: string | undefined
  #language: string | undefined

  constructor(context: ReaderContext, { isWebVtt }: { isWebVtt: boolean }) {
    this.#isWebVtt = isWebVtt
    this.#turns = new CueTurns(context)
  }

  read(line: string, place: Place): readonly ConversationDraft[] {
    if (this.#block === 'start') {
      this.#block = this.#isWebVtt ? 'header' : 'cues'
      if (this.#isWebVtt) {
        this.#readSignature(line, place)
        return []
      }
    }
    if (line.trim() === '') this.#endBlock()
    else {
      this.#readLine(line, place)
      this.#isAfterBlank = false
    }
    return []
  }

  end(): ConversationDraft[] {
    const pending = this.#pending?.text
    if (isNumber(pending)) this.#turns.losses.dropValue(pending, 'number of a cue without times', reasons.unreadable)
    else this.#addPending()
    this.#endCue()
    const header = this.#header.join('\n')
    const draft = this.#turns.build({
      name: this.#title,
      language: this.#language,
      metadata: header === '' ? undefined : { header },
    })
    return draft ? [draft] : []
  }

  #readSignature(line: string, place: Place): void {
    const found = /^WEBVTT(?:[ \t](.*))?$/s.exec(line)
    this.#turns.losses.note(line)
    this.#title = found?.[1]?.replace(/^[-–\s]+/, '')
    if (!found) this.#turns.report(`expected "WEBVTT" in the first line; found ${describe(line)}`, place)
  }

  #endBlock(): void {
    // A number may be separated from its times.
    if (!isNumber(this.#pending?.text)) this.#addPending()
    this.#block = 'cues'
    this.#isAfterBlank = true
  }

  #readLine(line: string, place: Place): void {
    const times = cueTimes(line)
    if (times || this.#block === 'skipped') this.#turns.losses.note(line)
    if (times) {
      if (!settings.test(line)) this.#turns.losses.drop('text behind the times of a cue', reasons.notRecognized)
      return this.#beginCue(times)
    }
    if (this.#block === 'skipped') return
    if (line.includes('-->') || damagedTimes.test(line)) {
      const example = this.#isWebVtt ? '00:00:01.000 --> 00:00:02.500' : '00:00:01,000 --> 00:00:02,500'
      this.#turns.report(`expected the times of a cue, such as ${example}; found ${describe(line)}`, place)
      this.#block = 'skipped'
    } else if (this.#block === 'header') this.#readHeader(line)
    else {
      this.#addPending()
      const block = this.#isWebVtt && this.#isAfterBlank ? /^(NOTE|STYLE|REGION)(?:\s|$)/.exec(line) : undefined
      if (block) {
        this.#turns.losses.dropValue(line, `${block[1]} block`, reasons.notConversation)
        this.#block = 'skipped'
      } else if (this.#isAfterBlank) this.#pending = { text: line, place }
      else this.#addText({ text: line, place })
    }
  }

  #readHeader(line: string): void {
    this.#turns.losses.note(line)
    const language = /^Language:\s*(\S+)\s*$/i.exec(line)?.[1]
    if (language !== undefined) this.#language = language
    else this.#header.push(line)
  }

  #beginCue(times: Pick<Cue, 'start' | 'end'>): void {
    this.#block = 'cues'
    const pending = this.#pending?.text
    let identifier: string | undefined
    if (this.#isWebVtt || isNumber(pending)) {
      identifier = pending
      this.#pending = undefined
      this.#turns.losses.note(identifier)
    } else this.#addPending()
    // Without a blank line between two cues, the number of the second is the last line of the first.
    const last = this.#cue?.lines.at(-1)?.text
    if (identifier === undefined && !this.#isAfterBlank && isNumber(last))
      this.#turns.losses.note(this.#cue?.lines.pop()?.text)
    this.#endCue()
    // Webex names the speaker in the identifier: 1 "Ann Lee" (1234567).
    const speaker = /^\d+ "([^"]+)"(?: \(\d+\))?$/.exec(identifier ?? '')?.[1]
    if (speaker === undefined && /\S\s+\S/.test(identifier ?? '')) this.#turns.losses.drop('cue identifier')
    this.#cue = { ...times, speaker, lines: [] }
  }

  #addPending(): void {
    const pending = this.#pending
    this.#pending = undefined
    if (pending) this.#addText(pending)
  }

  #addText(line: Line): void {
    if (this.#cue) this.#cue.lines.push(line)
    else if (!this.#hasStrayText) {
      this.#turns.report(`expected a cue that begins with its times; found ${describe(line.text)}`, line.place)
      this.#hasStrayText = true
    }
  }

  #endCue(): void {
    if (this.#cue) this.#turns.add(this.#cue)
    this.#cue = undefined
  }
}
