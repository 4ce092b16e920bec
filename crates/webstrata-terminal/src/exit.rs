//! How a run ends, for scripts.

use std::process::ExitCode;

/// The meaning of exit codes. As with grep, 1 means that nothing was found and 2 is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: there was something to show.
    Text,
    /// 1: everything was read and no page has a main text.
    NoText,
    /// 1: everything was measured and a score is below its floor.
    BelowFloor,
    /// 2: the command line is wrong or an input failed, even if others were done.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Text => 0,
            Exit::NoText | Exit::BelowFloor => 1,
            Exit::Failed => 2,
        })
    }
}
