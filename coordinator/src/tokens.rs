//! The tokens of a data folder: kept over restarts, told to nobody but in the access files, replaced while running.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fulldeck_service::{
    Access, AccessError, AccessToken, Role, TOKEN_BOOK, TokenBook, TokenBookError,
};
use tokio::sync::watch;

use crate::error::StartError;

/// How soon a replaced token is refused.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// One token for each role, and what is kept of them.
pub(crate) struct Tokens {
    pub(crate) book: TokenBook,
    pub(crate) of: BTreeMap<Role, AccessToken>,
}

impl Tokens {
    /// The tokens that were `given`, else those the access files hold, so that workers with a copy of such a file find
    /// back; else new ones.
    pub(crate) fn settle(
        data_dir: &Path,
        given: &BTreeMap<Role, AccessToken>,
    ) -> Result<Self, StartError> {
        let mut book = TokenBook::read(&data_dir.join(TOKEN_BOOK))?;
        let mut of = BTreeMap::new();
        for role in Role::ALL {
            let token = match given.get(&role) {
                Some(token) => token.clone(),
                None => match kept(data_dir, role, &book) {
                    Some(token) => token,
                    None => AccessToken::random()?,
                },
            };
            book.set(role, &token);
            of.insert(role, token);
        }
        Ok(Self { book, of })
    }

    /// Writes the hashes and the access files, all for their owner alone.
    pub(crate) fn write(
        &self,
        data_dir: &Path,
        access: impl Fn(&AccessToken) -> Result<Access, AccessError>,
    ) -> Result<(), StartError> {
        self.book.write(&data_dir.join(TOKEN_BOOK))?;
        // The operator's comes last: who waits for it finds the others too.
        for (role, token) in &self.of {
            access(token)?.write(&data_dir.join(role.access_file()))?;
        }
        Ok(())
    }
}

/// The token of an access file, unless another one has taken its place.
fn kept(data_dir: &Path, role: Role, book: &TokenBook) -> Option<AccessToken> {
    let file = data_dir.join(role.access_file());
    let token = match Access::read(&file) {
        Ok(access) => access.token,
        Err(AccessError::Read { .. }) if !book.has(role) => return None,
        Err(error) => {
            tracing::warn!("{error}; writing a new one, and the {role}'s old token is refused");
            return None;
        }
    };
    if book.has(role) && !book.holds(role, &token) {
        tracing::warn!("{} holds an old token of the {role}; writing a new one", file.display());
        return None;
    }
    Some(token)
}

/// Takes over what `fulldeck token rotate` writes, until nobody listens any more.
pub(crate) async fn follow(data_dir: PathBuf, book: watch::Sender<Arc<TokenBook>>) {
    let path = data_dir.join(TOKEN_BOOK);
    let mut seen = None;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            () = book.closed() => return,
        }
        let (path, before) = (path.clone(), seen);
        let looked = tokio::task::spawn_blocking(move || look(&path, before)).await;
        match looked {
            Ok(Some((mark, Ok(new)))) => {
                seen = Some(mark);
                // Roles are never taken away: an empty file is an accident.
                let complete = Role::ALL.into_iter().all(|role| new.has(role));
                if complete && **book.borrow() != new {
                    tracing::info!("tokens were replaced: the old ones are refused from now on");
                    book.send_replace(Arc::new(new));
                }
            }
            Ok(Some((mark, Err(error)))) => {
                seen = Some(mark);
                tracing::warn!("{error}; the tokens stay as they were");
            }
            Ok(None) | Err(_) => {}
        }
    }
}

/// Tells one state of a file from another: inode, size, and time of the change in nanoseconds.
type Mark = (u64, u64, i64, i64);

/// The file, if it is another one than `before`.
fn look(path: &Path, before: Option<Mark>) -> Option<(Mark, Result<TokenBook, TokenBookError>)> {
    // A file that is gone changes nothing: the tokens are known.
    let metadata = fs::metadata(path).ok()?;
    let mark = (metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec());
    (before != Some(mark)).then(|| (mark, TokenBook::read(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(token: &AccessToken) -> Result<Access, AccessError> {
        Access::new("http://127.0.0.1:1", token.clone())
    }

    fn settled(folder: &Path) -> Tokens {
        let tokens = Tokens::settle(folder, &BTreeMap::new()).unwrap();
        tokens.write(folder, access).unwrap();
        tokens
    }

    #[test]
    fn tokens_outlive_restarts_and_lost_files_get_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let first = settled(folder.path());
        assert_eq!(settled(folder.path()).book, first.book);
        // Of a release that knew one token.
        fs::remove_file(folder.path().join(TOKEN_BOOK)).unwrap();
        assert_eq!(settled(folder.path()).book, first.book);
        fs::remove_file(folder.path().join("access-worker.toml")).unwrap();
        let second = settled(folder.path());
        let role = |role: &Role| second.book.role_of(first.of[role].expose());
        assert_eq!(
            Role::ALL.each_ref().map(role),
            [Some(Role::Reader), None, Some(Role::Operator)]
        );
    }

    #[test]
    fn an_old_access_file_does_not_bring_its_token_back() {
        let folder = tempfile::tempdir().unwrap();
        let first = settled(folder.path());
        let file = folder.path().join("access.toml");
        let old = fs::read(&file).unwrap();
        let mut book = first.book.clone();
        book.set(Role::Operator, &AccessToken::random().unwrap());
        book.write(&folder.path().join(TOKEN_BOOK)).unwrap();
        fs::write(&file, old).unwrap();
        let second = settled(folder.path());
        assert_eq!(second.book.role_of(first.of[&Role::Operator].expose()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_running_coordinator_follows() {
        let folder = tempfile::tempdir().unwrap();
        let mut tokens = settled(folder.path());
        let (sender, mut book) = watch::channel(Arc::new(tokens.book.clone()));
        tokio::spawn(follow(folder.path().to_owned(), sender));
        let new = AccessToken::random().unwrap();
        tokens.book.set(Role::Worker, &new);
        tokens.book.write(&folder.path().join(TOKEN_BOOK)).unwrap();
        book.changed().await.unwrap();
        assert_eq!(book.borrow().role_of(new.expose()), Some(Role::Worker));
    }
}
