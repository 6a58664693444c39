// Follows the readings: lists all, then watches from there on. When the line is lost it begins anew, with the whole
// list, so that nothing that was forgotten meanwhile stays.
import { servicesPage, watch } from './api.js';

const SERVICES_A_PAGE = 500;
const SILENCE = 5000; // bookmarks come every second
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const HIDDEN_FOR = 30_000; // a browser has few connections to one server: hidden pages give theirs back

async function listAll() {
  const services = [];
  let more = '';
  let first = null;
  do {
    const { body } = await servicesPage(SERVICES_A_PAGE, more);
    first ??= body;
    services.push(...body.services);
    more = body.continue;
  } while (more);
  return { services, instance: first.instance, revision: first.revision };
}

export class Feed {
  #handlers;
  #line = null; // aborts the watch
  #wake = null; // ends a pause
  #retries = 0;
  #hidden = false;
  #hiddenTimer = 0;

  /** `{all(list), lines(array), heard(), lost(problem, retryAt)}` */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  start() {
    document.addEventListener('visibilitychange', () => this.#follow());
    void this.#run();
  }

  /** Does not wait for the end of a pause. */
  retry() {
    this.#retries = 0;
    this.#wake?.();
  }

  #follow() {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) {
      this.#hiddenTimer = setTimeout(() => {
        this.#hidden = true;
        this.#line?.abort();
      }, HIDDEN_FOR);
    } else if (this.#hidden) {
      this.#hidden = false;
      this.retry();
    }
  }

  async #run() {
    for (;;) {
      let problem = null;
      try {
        const list = await listAll();
        this.#handlers.all(list);
        await this.#watch(`${list.instance}:${list.revision}`);
      } catch (error) {
        problem = error;
      }
      if (this.#hidden) {
        await this.#rest(Infinity);
      } else if (problem !== null) {
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#retries) * (0.75 + Math.random() / 2);
        this.#retries += 1;
        this.#handlers.lost(problem, Date.now() + pause);
        await this.#rest(pause);
      } else {
        await this.#rest(FIRST_PAUSE);
      }
    }
  }

  #rest(milliseconds) {
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds) ? setTimeout(resolve, milliseconds) : 0;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // Ends well when the server says that the reader is to list again.
  async #watch(since) {
    const line = new AbortController();
    this.#line = line;
    let timer = 0;
    const expect = () => {
      clearTimeout(timer);
      timer = setTimeout(() => line.abort(new Error('Nothing was heard for 5 seconds')), SILENCE);
    };
    try {
      expect();
      const answer = await watch(since, line.signal);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        expect();
        const { value, done } = await reader.read();
        if (done) throw new Error('The stream has ended');
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        this.#retries = 0;
        if (!this.#take(lines.filter(Boolean).map((text) => JSON.parse(text)))) return;
      }
    } catch (error) {
      throw line.signal.aborted && line.signal.reason instanceof Error ? line.signal.reason : error;
    } finally {
      clearTimeout(timer);
      line.abort();
      this.#line = null;
    }
  }

  /** False: the reader has to begin anew. */
  #take(lines) {
    const gone = lines.findIndex((line) => line.type === 'Gone');
    const news = (gone < 0 ? lines : lines.slice(0, gone)).filter((line) => line.type !== 'Bookmark');
    this.#handlers.heard();
    if (news.length) this.#handlers.lines(news);
    return gone < 0;
  }
}
