import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { defined, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import type { Role } from '../../model/index.js'

export function attachmentParts(list: unknown): JsonObject[] {
  const files = objectsOf(list)
  return files.map((file) => ({
    type: 'file',
    filename: file.file_name ?? file.filename ?? file.name,
    mime_type: file.content_type ?? file.mime_type ?? file.media_type,
    url: file.content_url ?? file.mapped_content_url ?? file.url ?? file.media_url,
    size_bytes: file.size ?? file.filesize,
  }))
}

/** The content and the properties of a help-desk message. An internal note is not visible. */
interface HelpDeskMessage extends Pick<MessageContext, 'place' | 'at'> {
  text: string
  files: readonly JsonObject[]
  author?: unknown
  isNote: boolean
}

export function addHelpDeskMessage(
  role: Role,
  { text, files, author, isNote, place, at }: HelpDeskMessage,
  conversation: ConversationBuilder,
): void {
  conversation.addMessage(role, files.length === 0 ? text : [text, ...files].filter((piece) => piece !== ''), {
    place,
    at,
    visible: isNote ? false : undefined,
    metadata: defined<JsonObject>({ author: textOf(author), kind: isNote ? 'note' : undefined }),
  })
}
