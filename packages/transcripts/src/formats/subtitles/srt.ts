import { defineTextFormat } from '../../contract/index.js'
import { CueReader } from './cue-reader.js'

/** SubRip. Its cues are those of WebVTT, without the header and without blocks of comments. */
export const srt = defineTextFormat({
  id: 'srt',
  title: 'SRT subtitles',
  accepts: 'cues of a number, times and text, in which "Ann: " names the speaker',
  detect(lines) {
    const [first = '', second = ''] = lines.filter((line) => line.trim() !== '')
    const times = /^\s*\d+\s*$/.test(first) ? second : first
    return /^\s*\d+:\d\d[\d:.,]*\s*-->\s*\d/.test(times) ? 0.95 : 0
  },
  reader: (context) => new CueReader(context, { isWebVtt: false }),
})
