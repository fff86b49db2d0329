import { decodeHTML } from '../../contract/index.js'

/** A text that one voice says. */
export interface Spoken {
  /** The name in a voice tag; undefined outside of one. */
  voice: string | undefined
  text: string
}

const voiceTag = /<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>|<\/v>/gi
/** Tags of WebVTT and SRT, times inside of a cue, and the positions of SubStation Alpha. Any other `<` is text. */
const markup = /<\/?(?:[bcuiv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<(?:\d+:)?\d\d:\d\d[.,]\d+>|\{\\[^{}]*\}/gi

/** The texts of a line, without markup and entities. `voice` is the one that speaks at its beginning. */
export function spokenIn(line: string, voice: string | undefined): { texts: Spoken[]; voice: string | undefined } {
  const texts: Spoken[] = []
  const add = (text: string): void => {
    const said = plainText(text)
    // A dash before a voice is a sign of the change.
    if (said !== '' && !/^[-–—]$/.test(said)) texts.push({ voice: speaking, text: said })
  }
  let speaking = voice
  let at = 0
  for (const tag of line.matchAll(voiceTag)) {
    add(line.slice(at, tag.index))
    speaking = plainText(tag[1] ?? '') || undefined
    at = tag.index + tag[0].length
  }
  add(line.slice(at))
  return { texts, voice: speaking }
}

const plainText = (text: string): string => decodeHTML(text.replace(markup, '')).replace(/\s+/g, ' ').trim()
