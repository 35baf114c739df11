import { type QueryTerm, search } from './bm25.ts'
import { compareBytes } from './order.ts'
import { Dictionary, type Group, Postings } from './postings.ts'
import type { Task } from './task.ts'
import { terms } from './terms.ts'

/** Tasks by the words of their goals and ids, whatever their state. */
export class TaskTexts {
  private readonly dictionary = new Dictionary()
  private readonly texts = new Postings()
  private readonly taskOf = new Map<Group, Task>()

  constructor(tasks: Iterable<Task>) {
    for (const task of tasks) this.add(task)
  }

  private add(task: Task): void {
    const counts = new Map<number, number>()
    for (const term of terms(`${task.goal}\n${task.id}`)) {
      const number = this.dictionary.number(term)
      counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    const document = { ids: [...counts.keys()], counts: [...counts.values()] }
    this.taskOf.set(this.texts.add([document]), task)
  }

  /** Best first; ties by id. */
  search(query: readonly QueryTerm[], limit: number): readonly Task[] {
    const at = (doc: number) => this.taskOf.get(this.texts.groupAt(doc)!)!
    const byKey = (a: number, b: number) => compareBytes(at(a).id, at(b).id)
    const hits = search(this.dictionary, this.texts.everything(), query, TASK_BM25, limit, byKey)
    return hits.map(({ doc }) => at(doc))
  }
}

const TASK_BM25 = { b: 0.75 }
