interface Link<T> {
  value: T
  next: Link<T> | undefined
}

/** First in, first out, at the same price however much went through it. */
export function createQueue<T>() {
  let head: Link<T> | undefined
  let tail: Link<T> | undefined
  return {
    push(value: T): void {
      const link = { value, next: undefined }
      if (tail) tail.next = link
      else head = link
      tail = link
    },
    shift(): T | undefined {
      const link = head
      if (!link) return undefined
      head = link.next
      if (!head) tail = undefined
      // One that V8 holds for old would keep all that came after it until the next full collection.
      link.next = undefined
      return link.value
    },
  }
}
