export { type Detection, detect } from './detect.js'
export { locate, locateAll, locateStream, recordTexts } from './locate.js'
export type { Chunk, ParseOptions } from './options.js'
export { parse, parseStream, suggestColumns } from './parse.js'
