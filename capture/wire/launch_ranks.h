#pragma once

namespace lacuna::wire {

/// The environment variables in which a launcher tells each process its rank.
struct LaunchVariables {
  const char* rank;
  const char* local_rank;
  const char* world_size;
  long long fewest;  ///< a job of one process has no ranks, unless it says so for PyTorch
};

/// torchrun and accelerate, Open MPI, PMI (MPICH, Intel MPI), Slurm; the first one's word counts most.
inline constexpr LaunchVariables kLaunchVariables[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", 1},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", 2},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", 2},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", 2},
};

}  // namespace lacuna::wire
