import { defineTextFormat } from '../../contract/index.js'
import { CueReader } from './cue-reader.js'

/** Captions of the web, and transcripts of Teams, Zoom, Webex and YouTube. */
export const webvtt = defineTextFormat({
  id: 'webvtt',
  title: 'WebVTT captions',
  accepts: 'WEBVTT, then cues of times and text, in which <v Ann> or "Ann: " names the speaker',
  detect: ([first = '']) => (/^WEBVTT(?:[ \t]|$)/.test(first) ? 1 : 0),
  reader: (context) => new CueReader(context, { isWebVtt: true }),
})
