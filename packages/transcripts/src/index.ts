/**
 * Importers of transcript formats.
 *
 * @module @svc/transcripts
 */

export type {
  ConversationStart,
  DeclaredCalls,
  DeclaredConversation,
  DeclaredMessages,
  DeclaredResults,
  DeclaredSubagents,
  DeclaredTree,
  Format,
  FormatDeclaration,
  FoundConversation,
  LineMeaning,
  LineMeaningOf,
  LineReader,
  LosePiece,
  MessageStart,
  MetadataTable,
  Note,
  Piece,
  ReaderContext,
  TextFormat,
  Where,
} from './contract/index.js'
export {
  cueTimes,
  defineFormat,
  defineTextFormat,
  readerOfMessages,
  speakerLine,
  type WrongMap,
  wrongMap,
} from './contract/index.js'
export type { AnyFormatId, FormatId } from './formats/index.js'
export { formats } from './formats/index.js'
export type { Chunk, Detection, ParseOptions } from './importer/index.js'
export {
  detect,
  locate,
  locateAll,
  locateStream,
  openRole,
  parse,
  parseStream,
  recordTexts,
  suggestColumns,
} from './importer/index.js'
export type { Position } from './json/index.js'
export type {
  Loss,
  Place,
  Problem,
  ReadOptions,
  Role,
  ToolCall,
  ToolResult,
  Turn,
  UnreadConversations,
  UnreadTranscript,
} from './model/index.js'
export { byConversation, describeLosses, jsonProblem, TranscriptFileError, unreadTranscripts } from './model/index.js'
export type { SplitLimits } from './output/index.js'
export {
  type AnnotatedTurn,
  fileIn,
  nameFor,
  split,
  toAnnotationMessages,
  toFormat,
  toUpload,
  uploadLosses,
  type WrittenFile,
  type WrittenFormat,
  type WrittenTranscript,
  writtenFormats,
} from './output/index.js'
export type { Finder, Range, Redactable, Redacted, RedactKind, RedactPattern, RedactRules } from './redact/index.js'
export { redact } from './redact/index.js'
export type { Parsed, Transcript } from './transcript.js'
