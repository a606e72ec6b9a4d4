extension FileSystem {
    /// Gives a file that root has made in somebody's folder to that person, who would else be
    /// locked out.
    func giveToOwner(
        of folder: String,
        _ file: FileNumber,
        _ status: FileStatus
    ) throws(SystemError) {
        guard status.owner == 0 else { return }
        let parent = try self.status(at: folder)
        if parent.owner != 0 { try setOwner(of: file, to: parent.owner, group: parent.group) }
    }
}
