export { type Detection, detect } from './detect.js'
export type { Chunk, ParseOptions } from './importer.js'
export { locate, locateAll, locateStream, recordTexts } from './locate.js'
export { parse, parseStream } from './parse.js'
