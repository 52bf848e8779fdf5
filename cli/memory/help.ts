// The help of `plinth memory …` apart from options.

export const examples = `
STORE is the id of a store, or its name where no other has it. A memory is STORE:/path.

Examples:
  plinth memory create notes                    a new store
  plinth memory put notes:/todo.md todo.md      a file into it; - is standard input
  plinth memory put notes:/docs/ ./docs         all of a folder
  plinth memory ls -r notes                     what is there
  plinth memory edit notes:/todo.md             in your editor
  plinth memory log notes:/todo.md              who wrote it, and when
  plinth memory get notes:/todo.md --version memver_… | plinth memory put notes:/todo.md
                                                an old version put back
  plinth memory export notes --out notes.tar    all of it with its history; import makes it anew

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 4 a difference (diff --exit-code),
130 Ctrl-C.`;

export const put = `
A text that is there is updated, and its old version stays: plinth memory log shows it. What somebody
else writes at the same moment is not written over: that is refused. The same text again changes
nothing.

A folder is looked through before anything is sent: one file that is not text in UTF-8, or too long,
refuses all of it. Links and hidden files are left out. Only what differs is sent, so that the same
command goes on after a break. Nothing is deleted.`;

export const edit = `
The text is in a file that only you may read, and that is removed. A path where nothing is yet begins
empty. When somebody else has changed the memory meanwhile, theirs stays, yours is kept in the file,
and it is said how to see both.`;

export const rm = `
Versions of a deleted memory stay for 30 days: plinth memory log shows them, and
plinth memory get --version gives the text. With a store, its versions go too.`;

export const diff = `
Ends with 0 whether there is a difference or not; with --exit-code, with 4 if there is one, so that
1 still means that something failed.`;

export const redact = `
Gone: the version's text, path and hash. Not gone: who wrote it and when, the reason, other versions
with the same text, backups of the database, and exports made before. The version that a memory has
now is not redacted: write another text or delete the memory first.`;

export const exported = `
In the tar: store.json, history/ with one file for each version, and memories/ with the texts as they
are now. What is redacted later stays in it.`;

export const imported = `
An export becomes a store with its history; what was changed in its memories/ becomes new versions.
Of any other tar, each file becomes a memory: tar -C notes -c . | plinth memory import - --name notes
The store is there when all of it is, or not at all.`;
