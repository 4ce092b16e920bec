//! Disks that fail, are full, lose what was not synced and tear what was written, under everything that keeps records.
//!
//! An undisturbed run is followed at the border of the kernel (`disk/tracer.c`). Then its every operation fails in turn, in
//! every way: the disk is left as the crash before it leaves it (`disk/simulated.rs`), or the program runs with just this
//! operation failing. Each time the same command runs again, undisturbed, and must end with all records, each once.
//!
//! With all tests every so many operations fail; `WEBSTRATA_DISK_STEP=1 cargo test --release -p webstrata-cli --test it
//! disk -- --nocapture` does so with every one (docs/decisions/044-disks-that-fail.md).

mod cases;
mod simulated;
mod tracing;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use self::simulated::{Disk, Image, Loss};
use self::tracing::{DISK, Fault, Operation};
use crate::site::Site;

/// One of so many operations fails where nobody asks for all.
const STEP: usize = 24;

/// A command that keeps records on the disk.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) site: Site,
    /// What is disturbed, and then runs again.
    pub(crate) command: String,
    /// What was said to be there before this command ran: it is there, whatever happened, before it runs again.
    pub(crate) held: Box<dyn Fn(&Site)>,
    /// What is there in the end.
    pub(crate) whole: Box<dyn Fn(&Site)>,
}

/// What was done, for those who read along.
#[derive(Default)]
struct Done {
    crashes: usize,
    failures: usize,
    /// Failures after which the program ended well.
    overcome: usize,
}

impl Case {
    pub(crate) fn torture(&self) {
        let Some(tracer) = tracing::tracer() else { return };
        let step = std::env::var("WEBSTRATA_DISK_STEP")
            .ok()
            .and_then(|step| step.parse().ok())
            .unwrap_or(STEP);
        let disk = self.site.path().join(DISK);
        let start = Image::of(&disk);
        // Files are written anew for each run, under numbers of their own.
        start.write(&disk);
        let before = Disk::of(&disk);
        let run = |fault| tracing::run(tracer, &self.site, &self.command, fault);
        let traced = run(Fault::None);
        assert!(traced.output.status.success(), "{}: {:?}", self.name, traced.output);
        self.check("undisturbed", &self.whole);
        let mut after = before.clone();
        traced.log.iter().for_each(|operation| after.apply(operation));
        assert!(
            after.after(Loss::Nothing) == Image::of(&disk),
            "{}: the log is not what happened",
            self.name
        );
        let mut done = Done::default();
        self.crash(before, &traced.log, step, &mut done);
        for number in (1..=traced.operations).step_by(step) {
            self.fail(&start, Fault::Change(number), &run, &mut done);
            self.fail(&start, Fault::Full(number), &run, &mut done);
        }
        // Reads are counted by a run in which none of them fails.
        start.write(&disk);
        let reads = run(Fault::Read(usize::MAX)).operations;
        for number in (1..=reads).step_by(step) {
            self.fail(&start, Fault::Read(number), &run, &mut done);
        }
        let Done { crashes, failures, overcome } = done;
        let fills = self.fill(&start);
        println!(
            "{}: {} changes, {reads} reads; {crashes} crashes, {failures} failures, {overcome} of them overcome, \
             {fills} disks filled",
            self.name, traced.operations
        );
    }

    /// Crashes before each operation, and behind the last one.
    fn crash(&self, mut disk: Disk, log: &[Operation], step: usize, done: &mut Done) {
        let mut seen = BTreeSet::new();
        let folder = self.site.path().join(DISK);
        for number in 0..=log.len() {
            let seed = number as u64;
            let mut images = Vec::new();
            for loss in
                [Loss::Nothing, Loss::Everything, Loss::Contents, Loss::Names, Loss::Some(seed)]
            {
                images.push((format!("{loss:?}"), disk.after(loss)));
            }
            let next = log.get(number);
            if let Some(Operation::Write(inode, offset, bytes)) = next {
                let mut torn = disk.clone();
                let half = bytes[..bytes.len() / 2].to_vec();
                torn.apply(&Operation::Write(*inode, *offset, half));
                images.push(("a torn write".to_owned(), torn.after(Loss::Nothing)));
            }
            for (kind, (how, image)) in images.into_iter().enumerate() {
                let is_wanted = (number + kind * 5).is_multiple_of(step) || number == log.len();
                if !is_wanted || !seen.insert(image.digest()) {
                    continue;
                }
                image.write(&folder);
                let what = format!("crash before operation {number} ({next:.100?}), lost: {how}");
                self.check(&what, &self.held);
                self.again(&what);
                done.crashes += 1;
            }
            if let Some(operation) = next {
                disk.apply(operation);
            }
        }
    }

    /// Runs with a fault, and then again: at once, and after the power went.
    fn fail(
        &self,
        start: &Image,
        fault: Fault,
        run: &impl Fn(Fault) -> tracing::Traced,
        done: &mut Done,
    ) {
        let folder = self.site.path().join(DISK);
        start.write(&folder);
        let mut disk = Disk::of(&folder);
        let traced = run(fault);
        let what = format!("{fault:?}");
        let (code, said) =
            (traced.output.status.code(), String::from_utf8_lossy(&traced.output.stderr));
        assert!(matches!(code, Some(0..=2)), "{}, {what}: {code:?} {said}", self.name);
        assert!(
            !said.contains("panicked at") && !said.contains("internal error"),
            "{}, {what}: {said}",
            self.name
        );
        assert!(code == Some(0) || !said.trim().is_empty(), "{}, {what}: nothing said", self.name);
        // The stream tries again a few times.
        assert!(said.lines().count() <= 8, "{}, {what}: {said}", self.name);
        if code == Some(0) {
            done.overcome += 1;
            self.check(&what, &self.whole);
        }
        traced.log.iter().for_each(|operation| disk.apply(operation));
        let after_power = disk.after(Loss::Everything);
        self.check(&what, &self.held);
        self.again(&what);
        after_power.write(&folder);
        let what = format!("{fault:?}, then no power");
        self.check(&what, &self.held);
        self.again(&what);
        done.failures += 1;
    }

    /// Runs on real disks that are too small, in memory, and again once there is room. Returns how many were.
    fn fill(&self, start: &Image) -> usize {
        let may_mount =
            Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]).output();
        if !may_mount.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: nobody but root mounts a small disk");
            return 0;
        }
        let (folder, mut filled) = (self.site.path().join(DISK), 0);
        for size in [8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048] {
            start.write(&folder);
            let script = format!(
                "cp -r disk kept && mount -t tmpfs -o size={size}k tmpfs disk || exit 70\n\
                 cp -r kept/. disk/ 2>/dev/null || exit 71\n\
                 {program} {command} 2>said; first=$?\n\
                 mount -o remount,size=64m disk || exit 70\n\
                 {program} {command} || exit 72\n\
                 cp -r disk result || exit 70\n\
                 exit $first",
                program = crate::PROGRAM.1,
                command = self.command
            );
            let mut command = Command::new("unshare");
            command.args(["-m", "sh", "-c", &script]);
            let output = command.current_dir(self.site.path()).output().unwrap();
            fs::remove_dir_all(self.site.path().join("kept")).unwrap();
            match output.status.code() {
                // No room for what was there before.
                Some(71) => continue,
                Some(0..=2) => filled += usize::from(output.status.code() != Some(0)),
                _ => panic!("{} on {size} KiB: {output:?}", self.name),
            }
            fs::remove_dir_all(&folder).unwrap();
            fs::rename(self.site.path().join("result"), &folder).unwrap();
            self.check(&format!("a disk of {size} KiB"), &self.whole);
        }
        filled
    }

    /// The same command, undisturbed.
    fn again(&self, what: &str) {
        let output = self.site.output(&self.command);
        assert!(output.status.success(), "{}, after {what}: {output:?}", self.name);
        self.check(what, &self.whole);
    }

    fn check(&self, what: &str, holds: &dyn Fn(&Site)) {
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| holds(&self.site)));
        if let Err(panic) = checked {
            eprintln!("{}, {what}", self.name);
            std::panic::resume_unwind(panic);
        }
    }
}
