import { type JsonObject, objectsOf } from '../../json/index.js'
import { type Losses, reasons } from '../../model/index.js'
import { htmlToText } from './html-text.js'

/** The text of an HTML message. Lost links and images are counted. */
export function textOfHtml(html: string, losses: Losses): string {
  const { text, links, images } = htmlToText(html)
  if (links > 0) losses.drop('link address', 'only the text of a link is kept', links)
  if (images > 0) losses.drop('image in HTML', reasons.placeholder, images)
  return text
}

/** Attachments of any help desk as content parts. */
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

/** The text of a message and its files, as content. */
export function contentWithFiles(text: string, files: readonly JsonObject[]): unknown {
  return files.length === 0 ? text : [text, ...files].filter((piece) => piece !== '')
}
