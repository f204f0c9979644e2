/** The measured page: elements that change continuously. */
declare global {
  interface Window {
    startHeightPage: (elements: number) => void;
    /** Frames drawn since the page was started. */
    heightFrames: number;
    /** Called by the follower with each height. @returns whether the height changed */
    reportHeight: (heightPx: number) => boolean;
  }
}

const changeEveryMs = 10;
const elementsPerRow = 4;
let lastPx: number | undefined;

window.reportHeight = (heightPx) => {
  const isNew = heightPx !== lastPx;
  lastPx = heightPx;
  return isNew;
};

window.startHeightPage = (elements) => {
  for (let row = 0; row < elements / elementsPerRow; row += 1) document.body.append(createRow(row));
  let change = 0;
  setInterval(() => {
    change += 1;
    changeSomething(change);
  }, changeEveryMs);
  window.heightFrames = 0;
  requestAnimationFrame(function count() {
    window.heightFrames += 1;
    requestAnimationFrame(count);
  });
};

function createRow(row: number): HTMLElement {
  const element = document.createElement('p');
  element.innerHTML = `<b>Row ${row}</b> <i>some</i> <u>text</u>`;
  return element;
}

/** Changes a text and a class; every tenth change adds or removes a row. */
function changeSomething(change: number): void {
  const rows = document.body.children;
  const row = rows[(change * 7919) % rows.length];
  row?.classList.toggle('changed');
  row?.querySelector('i')?.replaceChildren(`text ${change % 10}`);
  if (change % 20 === 0) document.body.append(createRow(change));
  if (change % 20 === 10) rows[rows.length - 1]?.remove();
}
