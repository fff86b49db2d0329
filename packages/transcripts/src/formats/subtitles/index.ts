export { srt } from './srt.js'
export { webvtt } from './webvtt.js'
