import type { ConversationBuilder } from '../conversation/index.js'
import type { JsonObject } from '../json/index.js'
import type { Losses, Place, Placed, ReaderContext, Role } from '../model/index.js'
import type { MessageShape, Reader } from './format.js'

/**
 * The place of a value in an object: a path such as `agent.name`, several paths of which the first with a value counts, or a
 * function of the object, of `note`, and of what is around it: the conversation of a message, or the record of a conversation. A path
 * does not enter lists.
 */
export type Where = string | readonly string[] | ((fields: JsonObject, note: Note, conversation: JsonObject) => unknown)

/**
 * Marks texts as read that a function returns in another form: no loss names them. Any other value that stands in the place of a text
 * was not read.
 */
export interface Note {
  (...texts: readonly unknown[]): void
  /** Marks each text of a list, of whatever length. */
  each(texts: Iterable<unknown>): void
  /** Marks a text as read that repeats what the function returns, and counts it as merged by the name of what it is. */
  repeated(text: unknown, what: string): void
}

/** Names in metadata, with the places of their values: texts, numbers, lists of texts, or objects of numbers. */
export type MetadataTable = Readonly<Record<string, Where>>

/** The places of the facts of a conversation, as in `TranscriptUpload`. */
export interface DeclaredConversation {
  /** The title. */
  name?: Where
  /** The id. Messages that are records of their own belong to the conversation with their id. */
  externalId?: Where
  /** The id of the end user. */
  externalUserId?: Where
  /** The model. Default: the model of most messages. */
  modelName?: Where
  /** The language code. */
  language?: Where
  /** The program that the conversation comes from. Default: the id of the format. */
  sourceSystem?: Where
  /** The time. Default: the time of the first message. */
  sourceTimestamp?: Where
  /** Other facts, or an object that is kept whole: its path, or a function of the conversation, which counts all that it has not. */
  metadata?: MetadataTable | string | ((conversation: JsonObject, losses: Losses) => JsonObject)
}

/** A conversation in a record, or in several that are joined. */
export interface FoundConversation {
  /** The object with its facts. */
  value: JsonObject
  /** Default: the record, or the first of several. */
  place?: Place
  /** Its messages in their order, with their places; a function gets the losses of the conversation. Default: the list of messages. */
  messages?: readonly Placed[] | ((losses: Losses) => readonly Placed[])
  /** The place of the answer of a model, also of one without a message. Default: that of the conversation. */
  answer?: Place | undefined
  /** Its other versions, each with its last message in place of the answer that is kept. `value`: as above. */
  alternatives?: readonly { value?: JsonObject; messages: readonly Placed[] }[]
}

/** A record that is a part of a conversation. */
export interface Piece extends Placed {
  /** Its value. */
  value: JsonObject
  /** Its place in the file. */
  place: Place
}

/** Counts a value of a record that is joined to others as lost. */
export type LosePiece = (value: unknown, what: string, why: string) => void

/** The places in a tool result. It is joined to the call with its id, or named by itself. Without both it is a system message. */
export interface DeclaredResults {
  /** The list of results in a message, or the only one. Default: each message with the role `tool` is a result. */
  in?: Where
  /** The id of the call. */
  id?: Where
  /** The name of the tool. */
  name?: Where
  /** The result: a text, parts, or data. */
  output: Where
  /** A value that is true or a text if the call failed. */
  error?: Where
  /** Other facts. */
  metadata?: MetadataTable
}

/** The places in a tool call. */
export interface DeclaredCalls extends Omit<DeclaredResults, 'in' | 'output'> {
  /** The list of calls in a message, or the only one. */
  in: Where
  /** The name of the tool. */
  name: Where
  /** The arguments: an object, or its JSON text. */
  args: Where
  /** The result, if it stands beside the call. */
  output?: Where
}

/** Messages that name their parents, or stand below them, so that edited and regenerated ones make branches. */
export interface DeclaredTree {
  /** The id of a message. */
  id: Where
  /** The id of its parent. Default: none, or the message that it stands below. */
  parent?: Where
  /** The list of the messages below a message. Default: they stand beside it. */
  children?: string
  /** The id of the last message that was shown, in the conversation. Default: the newest message. */
  last?: Where
  /**
   * True if messages are added at the end of the file: the last one ends the conversation, even if it begins a new tree, and one
   * without the field `parent` follows the one before.
   */
  log?: true
  /** True for records that end no branch, such as states of the program. Each stays in the conversation. */
  aside?: (record: JsonObject) => boolean
}

/** Conversations of sub-agents, which have the form of the conversation around them. */
export interface DeclaredSubagents {
  /** Their list. */
  in: string
  /** The id of one of them. */
  id: Where
}

/** The place of the messages of a conversation, and the places in each. */
export interface DeclaredMessages {
  /**
   * The list of messages in a conversation, messages by their ids, or one text that `printed` divides. Default: each record is a
   * message.
   */
  messages?: string | readonly string[]
  /** The first message, which stands beside the list: a path, or a function of the conversation. */
  opening?: Where
  /** The messages in a text that stands in place of the list. */
  printed?: (text: string) => JsonObject[]
  /** The tree of the messages. Default: they are in the order of the conversation. */
  tree?: DeclaredTree
  /** Sorts messages by this time or number. Default: the order of the file. */
  order?: Where
  /** The form of the messages of a provider, which is read in place of the options below. `any` finds the form. */
  shape?: 'openai' | 'anthropic' | 'langchain' | 'any' | MessageShape
  /** Adds a message to its conversation, in place of the options below. */
  addMessage?: (message: JsonObject, place: Place, conversation: ConversationBuilder) => void
  /**
   * Adds all messages of a conversation, of which one may depend on others, or on the object `around` them, in place of the
   * options below.
   */
  addMessages?: (messages: readonly Placed[], conversation: ConversationBuilder, around: Piece) => void
  /** The name of the role of a message. Default: `role`. */
  role?: Where
  /** The names of each role, separated by blanks; `omitted` names roles that are counted as lost. Default: the names of the service. */
  roles?: { readonly [K in Role | 'omitted']?: string }
  /**
   * The name of the speaker, for messages without a role in `roles`. The role is chosen for the name (`--map role:Ann=agent`), or it
   * is what the name says, or `user`, which is a loss.
   */
  speaker?: Where
  /** The text: a text or parts, also with calls and results as Anthropic has them. Default: `content`. */
  text?: Where
  /** The HTML of a message without text. Beside a text, it is lost if it says something else. */
  html?: Where
  /** The attachments of a message: objects with the name, type or URL of a file. */
  files?: Where
  /** The thinking of the model. */
  thinking?: Where
  /** The id of a sub-agent, if the message is one of its own. Its messages are a conversation that is read on request. */
  subagent?: Where
  /** The time of a message, in any common form. */
  time?: Where
  /** The model that wrote a message. */
  model?: Where
  /** A value that is true if a message is not for the end user, such as an internal note. */
  note?: Where
  /** A value that is true if a message repeats an earlier one; it is counted as lost. */
  repeats?: Where
  /** Other facts of a message. */
  metadata?: MetadataTable
  /** The reason why the model ended its last answer, in the conversation; it is kept if the end is early. */
  end?: { readonly finish_reason: Where } | { readonly stop_reason: Where }
  /** The tool calls. */
  calls?: DeclaredCalls
  /** The tool results. */
  results?: DeclaredResults
}

/** A format: where its values are. All else is the same for every format. */
export interface FormatDeclaration<Id extends string = string> extends DeclaredMessages {
  /** The name in options, such as `my-bot`: lower case, digits and hyphens. */
  id: Id
  /** The readable name. */
  title: string
  /** The accepted shape in one line, for error messages. */
  accepts: string
  /**
   * The marks of a conversation, with their scores from 0 to 1. A mark is one or more conditions, separated by blanks: `meta.id` is
   * present, `steps[]` is a list, an element of `steps[].kind` is present, `version=2|3` is one of these texts, `version=v1*` begins so.
   * A function scores a record that marks do not describe.
   */
  signature: Readonly<Record<string, number>> | ((record: unknown) => number)
  /** Field names, one of which each of its records has; a text has them separated by blanks. Default: those of the signature and of the messages. */
  fields?: string | readonly string[]
  /**
   * True if a few names of fields make it read a record, which other products share. A record of which it understands only half is then a
   * problem.
   */
  isGeneric?: true
  /** True for exports whose empty conversations are skipped, as `empty` says of those with a mark. Default: an empty conversation is a problem. */
  skipsEmpty?: true
  /** True if records repeat what others hold, as logs do that write each state. */
  recordsRepeat?: true
  /**
   * The conversation in a record, or the list of conversations; or a function that finds them in a record, which is undefined if it is
   * something else. Default: the record.
   */
  conversations?: string | ((record: JsonObject, place: Place) => readonly FoundConversation[] | undefined)
  /**
   * For files whose records may also be messages of a conversation, or lists of messages, as programs write them without a form of their
   * own. `id`: the id of the conversation of such a message, beside the usual names. `is`: true for a list that is one message.
   * `join`: makes a conversation of such messages if they are parts of one. `failure`: the reason why a record is a request
   * without an answer, which is skipped.
   */
  rows?: {
    id?: Where
    is?: (record: unknown) => boolean
    failure?: (record: JsonObject) => string | undefined
    join?: (messages: readonly Placed[]) => FoundConversation | undefined
  }
  /**
   * The mark of a record that begins a conversation, and holds its facts, in a log whose other records are messages; or the marks of
   * which it has one. An invalid line of a log is counted as lost.
   */
  header?: string | readonly string[]
  /**
   * Joins records to conversations: the files of one that are read together, or the events of a `log`. It gets their objects, with a
   * function that counts a value as lost, and one that reports a record that cannot be read. It returns undefined if they hold no
   * conversation. A record with a list of `messages` is a conversation by itself. An invalid file is counted as lost.
   */
  join?: (
    pieces: readonly Piece[],
    lose: LosePiece,
    report: (message: string, place: Place) => void,
  ) => readonly FoundConversation[] | undefined
  /** True if the joined records are lines of a log, of which an invalid one is counted as lost. */
  log?: true
  /** The system prompt beside the messages of a conversation: a text or parts. */
  system?: Where
  /** The facts of a conversation. */
  conversation?: DeclaredConversation
  /** Conversations of sub-agents. */
  subagents?: DeclaredSubagents
  /** The mark of a conversation without messages, as in `signature`. These are skipped with a note. Default: they are a problem. */
  empty?: string
  /** The text that says why a conversation has no messages. Such a one is skipped with a note. */
  failure?: Where
  /** Fields of a conversation, or of the record around it, that are understood, and that the upload has no field for: they are lost as a whole. */
  lost?: readonly string[]
  /** Names of other fields whose words say how a file is built, beside ids, types and times; separated by blanks. */
  structure?: string
  /**
   * The hatch for a format that no option describes: it reads the records of a file itself, and builds its conversations. It replaces
   * all options but the first ones and `structure`.
   */
  reader?: (context: ReaderContext) => Reader
}
